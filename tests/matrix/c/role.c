// SPDX-License-Identifier: Apache-2.0
// The C role of the matrix: defines, implements and calls `mix`, driven by operators of matrix_c.
#include "role.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Libraries that this role opened, by namespace.
typedef struct opened_library {
  char ns[64];
  tenon_library* library;
  struct opened_library* next;
} opened_library;

static opened_library* opened = NULL;
static tenon_library* role_library = NULL;

tenon_status matrix_c_open(const char* ns, tenon_library** out_library) {
  opened_library* node = calloc(1, sizeof *node);
  if (node == NULL) {
    return tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "matrix_c: no memory for a library");
  }
  const tenon_status status = tenon_library_new(TENON_LIBRARY_FRAGMENT, ns, TENON_KEY_NONE,
                                                __FILE__, __LINE__, &node->library);
  if (status != TENON_OK) {
    free(node);
    return status;
  }
  snprintf(node->ns, sizeof node->ns, "%s", ns);
  node->next = opened;
  opened = node;
  *out_library = node->library;
  return TENON_OK;
}

// Computes out[i] = a[i] * n + f + bytes of s + sum of dims + opt[0] (100 if absent) + sum of
// list[j][0]. The second result is the address of a's data, as this kernel sees it.
static tenon_status mix_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                               tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  const tenon_value* args = stack->args;
  tenon_tensor_info a;
  tenon_status status = tenon_tensor_describe(args[0].as.tensor, &a);
  if (status != TENON_OK) {
    return status;
  }
  double offset = args[2].as.f + (double)args[3].count;
  if (args[4].tag == TENON_TAG_TENSOR) {
    void* opt = NULL;
    status = tenon_tensor_data(args[4].as.tensor, &opt);
    if (status != TENON_OK) {
      return status;
    }
    offset += *(const float*)opt;
  } else {
    offset += 100.0;
  }
  const int64_t* dims = args[5].as.list.data;
  for (uint32_t i = 0; i < args[5].count; ++i) {
    offset += (double)dims[i];
  }
  tenon_tensor* const* list = args[6].as.list.data;
  for (uint32_t i = 0; i < args[6].count; ++i) {
    void* data = NULL;
    status = tenon_tensor_data(list[i], &data);
    if (status != TENON_OK) {
      return status;
    }
    offset += *(const float*)data;
  }
  tenon_tensor* out = NULL;
  status = tenon_tensor_new(TENON_DTYPE_F32, NULL, a.ndim, a.sizes, NULL, &out);
  if (status != TENON_OK) {
    return status;
  }
  void* data = NULL;
  status = tenon_tensor_data(out, &data);
  if (status != TENON_OK) {
    tenon_tensor_release(out);
    return status;
  }
  for (int64_t i = 0; i < a.numel; ++i) {
    ((float*)data)[i] = (float)(((const float*)a.data)[i] * (double)args[1].as.i + offset);
  }
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  stack->rets[0].as.tensor = out;
  stack->rets[1].tag = TENON_TAG_INT;
  stack->rets[1].as.i = (int64_t)(intptr_t)a.data;
  return TENON_OK;
}

static tenon_status define(const char* ns) {
  tenon_library* library = NULL;
  const tenon_status status = matrix_c_open(ns, &library);
  return status != TENON_OK ? status : tenon_library_define(library, MIX_SCHEMA, NULL, NULL);
}

static tenon_status implement(const char* ns) {
  tenon_library* library = NULL;
  const tenon_status status = matrix_c_open(ns, &library);
  if (status != TENON_OK) {
    return status;
  }
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &mix_kernel;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = "mix_kernel";
  kernel.file = __FILE__;
  kernel.line = __LINE__;
  return tenon_library_impl(library, "mix", TENON_KEY_CPU, &kernel, NULL);
}

static tenon_status close_all(const char* ns) {
  for (opened_library** at = &opened; *at != NULL;) {
    opened_library* node = *at;
    if (strcmp(node->ns, ns) != 0) {
      at = &node->next;
      continue;
    }
    *at = node->next;
    tenon_library_release(node->library);
    free(node);
  }
  return TENON_OK;
}

tenon_tensor* matrix_c_vector(const float* elements, int64_t count) {
  tenon_tensor* tensor = NULL;
  void* data = NULL;
  if (tenon_tensor_new(TENON_DTYPE_F32, NULL, 1, &count, NULL, &tensor) != TENON_OK ||
      tenon_tensor_data(tensor, &data) != TENON_OK) {
    return NULL;
  }
  memcpy(data, elements, (size_t)count * sizeof *elements);
  return tensor;
}

static tenon_value tensor_value(tenon_tensor* tensor) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor;
  return value;
}

// Compares the results of one call with values computed by hand.
static tenon_status check_results(const tenon_value* rets, const void* address,
                                  const float* expected) {
  void* data = NULL;
  const tenon_status status = tenon_tensor_data(rets[0].as.tensor, &data);
  if (status != TENON_OK) {
    return status;
  }
  for (int i = 0; i < 3; ++i) {
    if (((const float*)data)[i] != expected[i]) {
      char message[128];
      snprintf(message, sizeof message, "matrix_c::call: out[%d] must be %g, got %g", i,
               (double)expected[i], (double)((const float*)data)[i]);
      return tenon_error_raise(TENON_ERROR_RUNTIME, message);
    }
  }
  if (rets[1].as.i != (int64_t)(intptr_t)address) {
    return tenon_error_raise(TENON_ERROR_RUNTIME,
                             "matrix_c::call: the kernel must see the caller's memory");
  }
  return TENON_OK;
}

static tenon_status call(const char* ns) {
  static const float a_elements[3] = {1, 2, 3};
  static const float with_opt[3] = {55.5f, 58.5f, 61.5f};
  static const float without_opt[3] = {148.5f, 151.5f, 154.5f};
  static const float seven = 7, ten = 10, twenty = 20;
  static const int64_t dims[2] = {4, 6};
  char name[96];
  snprintf(name, sizeof name, "%s::mix", ns);
  const tenon_op* op = NULL;
  tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) {
    return status;
  }
  tenon_tensor* a = matrix_c_vector(a_elements, 3);
  tenon_tensor* opt = matrix_c_vector(&seven, 1);
  tenon_tensor* list[2] = {matrix_c_vector(&ten, 1), matrix_c_vector(&twenty, 1)};
  if (a == NULL || opt == NULL || list[0] == NULL || list[1] == NULL) {
    status = tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "matrix_c::call: no memory");
  }
  tenon_value args[7];
  memset(args, 0, sizeof args);
  args[0] = tensor_value(a);
  args[1].tag = TENON_TAG_INT;
  args[1].as.i = 3;
  args[2].tag = TENON_TAG_FLOAT;
  args[2].as.f = 0.5;
  args[3].tag = TENON_TAG_STRING;
  args[3].count = 5;
  args[3].as.list.data = "tenon";
  args[5].tag = TENON_TAG_INT_LIST;
  args[5].count = 2;
  args[5].as.list.data = dims;
  args[6].tag = TENON_TAG_TENSOR_LIST;
  args[6].count = 2;
  args[6].as.list.data = list;
  for (int present = 0; present < 2 && status == TENON_OK; ++present) {
    if (present) {
      args[4] = tensor_value(opt);
    }
    tenon_value rets[2];
    memset(rets, 0, sizeof rets);
    tenon_stack stack;
    memset(&stack, 0, sizeof stack);
    stack.args = args;
    stack.nargs = 7;
    stack.rets = rets;
    stack.nrets = 2;
    status = tenon_op_call(op, &stack);
    if (status == TENON_OK) {
      void* address = NULL;
      status = tenon_tensor_data(a, &address);
      if (status == TENON_OK) {
        status = check_results(rets, address, present ? with_opt : without_opt);
      }
      tenon_value_clear_n(rets, 2);
    }
  }
  tenon_tensor_release(a);
  tenon_tensor_release(opt);
  tenon_tensor_release(list[0]);
  tenon_tensor_release(list[1]);
  return status;
}

// ---- Errors on their way through other languages ----------------------------------------------

static int lost_in_c = 0;  // address that identifies the error this role raises

static tenon_status raise_own(const char* path) {
  (void)path;
  tenon_error* error = tenon_error_new(TENON_ERROR_FOREIGN, "CLost", "lost in C");
  tenon_error_set_payload(error, TENON_LANGUAGE_C, &lost_in_c, NULL);
  return tenon_error_set(error);
}

// Calls an operator that takes one string.
static tenon_status call_with(const char* name, const char* text) {
  const tenon_op* op = NULL;
  const tenon_status found = tenon_op_find(name, &op);
  if (found != TENON_OK) {
    return found;
  }
  const tenon_value given = tenon_value_of_string(text, (uint32_t)strlen(text));
  return tenon_op_call_named(op, &given, 1, NULL, NULL, 0, NULL, 0);
}

tenon_status matrix_c_relay(const char* path) {
  char name[64];
  const char* comma = strchr(path, ',');
  const size_t size = comma != NULL ? (size_t)(comma - path) : strlen(path);
  snprintf(name, sizeof name, "matrix_%.*s::%s", (int)size, path,
           comma != NULL ? "relay" : "raise");
  return call_with(name, comma != NULL ? comma + 1 : "");
}

// Recurses without end: calls the path's first language with the path rotated by one.
static tenon_status dive(const char* path) {
  char name[64], turned[96];
  const char* comma = strchr(path, ',');
  const int size = comma != NULL ? (int)(comma - path) : (int)strlen(path);
  snprintf(name, sizeof name, "matrix_%.*s::dive", size, path);
  snprintf(turned, sizeof turned, "%s%s%.*s", comma != NULL ? comma + 1 : "",
           comma != NULL ? "," : "", size, path);
  return call_with(name, turned);
}

tenon_status matrix_c_comes_home(tenon_status status) {
  if (status == TENON_OK) {
    return tenon_error_raise(TENON_ERROR_RUNTIME, "matrix_c: must fail, returned");
  }
  tenon_error* error = tenon_error_take();
  const int same = tenon_error_payload(error, TENON_LANGUAGE_C) == &lost_in_c;
  tenon_error_release(error);
  return same ? TENON_OK
              : tenon_error_raise(TENON_ERROR_RUNTIME,
                                  "matrix_c: must be the same error, got another");
}

static tenon_status catch_own(const char* path) {
  return matrix_c_comes_home(matrix_c_relay(path));
}

// ---- Objects that override operators ----------------------------------------------------------

// The handler of a C object that overrides operators: returns "c:" and the second argument.
static tenon_status override_call(void* self, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)self;
  (void)op;
  (void)keys;
  char text[32];
  const int size = snprintf(text, sizeof text, "c:%lld", (long long)stack->args[1].as.i);
  return tenon_value_new_string(text, size, &stack->rets[0]);
}

static const tenon_object_type object_type = {.struct_size = sizeof(tenon_object_type),
                                              .language = TENON_LANGUAGE_C,
                                              .name = "matrix_c.Object",
                                              .override = override_call};

static tenon_status object_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)ctx;
  (void)op;
  (void)keys;
  tenon_value* ret = &stack->rets[0];
  const tenon_status status = tenon_object_new(&object_type, NULL, &ret->as.object);
  if (status == TENON_OK) {
    ret->tag = TENON_TAG_OBJECT;
    ret->flags = TENON_VALUE_OWNED;
  }
  return status;
}

static tenon_status call_named(const char* name, tenon_value* args, uint32_t nargs,
                               tenon_value* ret) {
  const tenon_op* op = NULL;
  const tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) {
    return status;
  }
  tenon_stack stack;
  memset(&stack, 0, sizeof stack);
  memset(ret, 0, sizeof *ret);
  stack.args = args;
  stack.nargs = nargs;
  stack.rets = ret;
  stack.nrets = 1;
  return tenon_op_call(op, &stack);
}

// Calls the echo operator of a namespace with another language's object as its tensor argument.
// `spec` is "language,ns".
static tenon_status override(const char* spec) {
  char name[64], echo[96], expected[32];
  tenon_value args[2], ret;
  const int size = (int)strcspn(spec, ",");
  snprintf(name, sizeof name, "matrix_%.*s::object", size, spec);
  snprintf(echo, sizeof echo, "%s::echo", spec + size + 1);
  snprintf(expected, sizeof expected, "%.*s:7", size, spec);
  memset(args, 0, sizeof args);
  tenon_status status = call_named(name, NULL, 0, &args[0]);
  if (status != TENON_OK) {
    return status;
  }
  args[1].tag = TENON_TAG_INT;
  args[1].as.i = 7;
  status = call_named(echo, args, 2, &ret);
  if (status == TENON_OK) {
    // The schema requires a Tensor, so the handler's result arrives in a carrier tensor.
    const tenon_value* carried =
        ret.tag == TENON_TAG_TENSOR ? tenon_carrier_value(ret.as.tensor) : NULL;
    if (carried == NULL || carried->tag != TENON_TAG_STRING || carried->count != strlen(expected) ||
        memcmp(carried->as.list.data, expected, carried->count) != 0) {
      status = tenon_error_raise(TENON_ERROR_RUNTIME, "matrix_c::override: result must be another");
    }
    tenon_value_clear(&ret);
  }
  tenon_value_clear(&args[0]);
  return status;
}

// One boxed kernel implements all these operators; ctx is the step to run with the namespace.
typedef tenon_status (*role_step)(const char* ns);
static const role_step steps[] = {define,
                                  implement,
                                  call,
                                  close_all,
                                  raise_own,
                                  matrix_c_relay,
                                  catch_own,
                                  override,
                                  dive,
                                  matrix_c_products,
                                  matrix_c_formulas,
                                  matrix_c_slopes,
                                  matrix_c_apply,
                                  matrix_c_mirrors,
                                  matrix_c_casts,
                                  matrix_c_cast,
                                  matrix_c_widens,
                                  matrix_c_rules,
                                  matrix_c_map,
                                  matrix_c_shapes,
                                  matrix_c_fake,
                                  matrix_c_record,
                                  matrix_c_replay};
enum { STEPS = sizeof steps / sizeof *steps };

static tenon_status step_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)op;
  (void)keys;
  char ns[256];
  snprintf(ns, sizeof ns, "%.*s", (int)stack->args[0].count,
           (const char*)stack->args[0].as.list.data);
  return (*(const role_step*)ctx)(ns);
}

// Registers one of the role's operators.
static tenon_status add_role(const char* name, const char* signature, tenon_kernel_fn boxed) {
  char schema[64];
  snprintf(schema, sizeof schema, "%s%s", name, signature);
  const tenon_status status = tenon_library_define(role_library, schema, NULL, NULL);
  if (status != TENON_OK) return status;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = boxed;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = name;
  return tenon_library_impl(role_library, name, TENON_KEY_NONE, &kernel, NULL);
}

tenon_status matrix_c_register(void) {
  static const char* const names[STEPS] = {
      "define", "implement", "call",     "close",  "raise", "relay",   "catch", "override",
      "dive",   "products",  "formulas", "slopes", "apply", "mirrors", "casts", "cast",
      "widens", "rules",     "map",      "shapes", "fake",  "record",  "replay"};
  tenon_status status = tenon_library_new(TENON_LIBRARY_DEF, "matrix_c", TENON_KEY_NONE, __FILE__,
                                          __LINE__, &role_library);
  for (int i = 0; i < STEPS && status == TENON_OK; ++i) {
    char schema[64];
    snprintf(schema, sizeof schema, "%s(str ns) -> ()", names[i]);
    status = tenon_library_define(role_library, schema, NULL, NULL);
    if (status != TENON_OK) {
      break;
    }
    tenon_kernel kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.struct_size = sizeof kernel;
    kernel.boxed = &step_kernel;
    kernel.ctx = (void*)&steps[i];
    kernel.language = TENON_LANGUAGE_C;
    kernel.name = names[i];
    kernel.file = __FILE__;
    kernel.line = __LINE__;
    status = tenon_library_impl(role_library, names[i], TENON_KEY_NONE, &kernel, NULL);
  }
  if (status == TENON_OK) status = add_role("object", "() -> Any", &object_kernel);
  if (status == TENON_OK) status = add_role("cube", "() -> Any", &matrix_c_cube);
  if (status == TENON_OK) status = add_role("power", "() -> Any", &matrix_c_power);
  if (status == TENON_OK) {
    status = add_role("transform", "(Any function, str kind) -> Any", &matrix_c_transform);
  }
  if (status == TENON_OK) {
    status = add_role("attempt", "(Any function, Tensor x) -> ()", &matrix_c_attempt);
  }
  return status;
}

void matrix_c_unregister(void) {
  tenon_library_release(role_library);
  role_library = NULL;
}
