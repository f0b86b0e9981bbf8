/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for the Python suite, with kernels that do what kernels in Python cannot. */
#include "tenon/tenon.h"

#define UNUSED(ctx, op, keys) ((void)(ctx), (void)(op), (void)(keys))

/* ---- Results that are not tensors ------------------------------------------------------------ */

/* Reports success and returns a NULL tensor. */
static tenon_status give_null(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

/* Reports success and writes no result. */
static tenon_status give_nothing(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  (void)stack;
  return TENON_OK;
}

/* The typed form of both: sets `out` to NULL. */
static tenon_status give_typed_null(const tenon_frame* frame, tenon_tensor* x, tenon_tensor** out) {
  (void)frame;
  (void)x;
  *out = NULL;
  return TENON_OK;
}

/* ---- Functions ------------------------------------------------------------------------------- */

/* call(Any f, Any[] args, int nrets) -> Any[]: returns the results of the function object. */
static tenon_status call(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  enum { MOST = 8 };
  tenon_value rets[MOST] = {{0}};
  const tenon_value* args = stack->args;
  /* A list of one kind arrives as a typed list: turn its elements back into values. */
  tenon_value given[MOST];
  uint32_t count = args[1].count;
  if (count > MOST) return tenon_error_raise(TENON_ERROR_INDEX, "call: args must be at most 8");
  for (uint32_t i = 0; i < count; i++) {
    const void* data = args[1].as.list.data;
    if (args[1].tag == TENON_TAG_INT_LIST) {
      given[i] = tenon_value_of_int(((const int64_t*)data)[i]);
    } else if (args[1].tag == TENON_TAG_TENSOR_LIST) {
      given[i] = tenon_value_of_tensor(((tenon_tensor* const*)data)[i]);
    } else {
      given[i] = ((const tenon_value*)data)[i];
    }
  }
  tenon_stack inner = {given, rets, count, (uint32_t)args[2].as.i, NULL, {0, 0}};
  tenon_status status = tenon_object_call(args[0].as.object, &inner);
  if (status != TENON_OK) return status;
  status = tenon_value_new_list(TENON_TAG_LIST, rets, args[2].as.i, &stack->rets[0]);
  tenon_value_clear_n(rets, args[2].as.i);
  return status;
}

/* Adds its own number to each argument, and returns the requested number of results. */
static tenon_status add(void* self, tenon_stack* stack) {
  for (uint32_t i = 0; i < stack->nrets; i++) {
    if (i >= stack->nargs || stack->args[i].tag != TENON_TAG_INT) {
      return tenon_error_raise(TENON_ERROR_TYPE, "adder: arguments must be ints");
    }
    stack->rets[i] = tenon_value_of_int(stack->args[i].as.i + (int64_t)(intptr_t)self);
  }
  return TENON_OK;
}

static const tenon_object_type adder_type = {
    .struct_size = sizeof adder_type, .language = TENON_LANGUAGE_C, .name = "C.Adder", .call = add};
static const tenon_object_type thing_type = {
    .struct_size = sizeof thing_type, .language = TENON_LANGUAGE_C, .name = "C.Thing"};

static tenon_status give_object(const tenon_object_type* type, int64_t number, tenon_value* out) {
  tenon_object* object;
  tenon_status status = tenon_object_new(type, (void*)(intptr_t)number, &object);
  if (status == TENON_OK) *out = tenon_value_give(tenon_value_of_function(object));
  return status;
}

/* adder(int n) -> Any: a function that adds n. */
static tenon_status adder(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  return give_object(&adder_type, stack->args[0].as.i, &stack->rets[0]);
}

/* thing() -> Any: an object that is not a function. */
static tenon_status thing(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  tenon_status status = give_object(&thing_type, 0, &stack->rets[0]);
  if (status == TENON_OK) stack->rets[0].tag = TENON_TAG_OBJECT;
  return status;
}

/* ---- Overriding objects ---------------------------------------------------------------------- */

/* Returns its number for every call; declines if the number is 0. */
static tenon_status answer(void* self, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)op, (void)keys;
  if (self == NULL) return TENON_DECLINED;
  for (uint32_t i = 0; i < stack->nrets; i++) {
    stack->rets[i] = tenon_value_of_int((int64_t)(intptr_t)self);
  }
  return TENON_OK;
}

static const tenon_object_type stand_type = {.struct_size = sizeof stand_type,
                                             .language = TENON_LANGUAGE_C,
                                             .name = "C.Stand",
                                             .override = answer};

/* stand(int n) -> Any: an object that can replace any argument. */
static tenon_status stand(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  tenon_status status = give_object(&stand_type, stack->args[0].as.i, &stack->rets[0]);
  if (status == TENON_OK) stack->rets[0].tag = TENON_TAG_OBJECT;
  return status;
}

/* ---- Warnings -------------------------------------------------------------------------------- */

/* Copies a string argument and terminates it. */
static const char* text_of(const tenon_value* value, char* room, size_t size) {
  size_t count = value->count < size ? value->count : size - 1;
  for (size_t i = 0; i < count; i++) room[i] = ((const char*)value->as.list.data)[i];
  room[count] = 0;
  return room;
}

/* warn(str category, str message, bool once=False) -> () */
static tenon_status warn(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  static const char site;
  char category[64], message[256];
  const tenon_value* args = stack->args;
  (void)text_of(&args[0], category, sizeof category);
  (void)text_of(&args[1], message, sizeof message);
  return args[2].as.i ? tenon_warning_emit_once(&site, category, message)
                      : tenon_warning_emit(category, message);
}

/* warn_for(Tensor x) -> int: emits a warning; called from C threads. */
static tenon_status warn_for(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  stack->rets[0] = tenon_value_of_int(1);
  return tenon_warning_emit("RuntimeWarning", "from a thread");
}

/* ---- The plugin ------------------------------------------------------------------------------ */

typedef struct {
  const char* schema;
  const char* name;
  tenon_kernel_fn boxed;
  tenon_typed_fn typed;
} served;

/* T>T of kernel.h. */
#define TENSOR_TO_TENSOR 0x6c62fe19e196c2e9u

static const served ops[] = {
    {"null(Tensor x) -> Tensor", "null", give_null, NULL},
    {"null_optional(Tensor x) -> Tensor?", "null_optional", give_null, NULL},
    {"nothing(Tensor x) -> Tensor", "nothing", give_nothing, NULL},
    {"nothing_optional(Tensor x) -> Tensor?", "nothing_optional", give_nothing, NULL},
    {"typed_null(Tensor x) -> Tensor", "typed_null", give_nothing, (tenon_typed_fn)give_typed_null},
    {"typed_optional(Tensor x) -> Tensor?", "typed_optional", give_nothing,
     (tenon_typed_fn)give_typed_null},
    {"call(Any f, Any[] args, int nrets) -> Any[]", "call", call, NULL},
    {"adder(int n) -> Any", "adder", adder, NULL},
    {"thing() -> Any", "thing", thing, NULL},
    {"stand(int n) -> Any", "stand", stand, NULL},
    {"warn(str category, str message, bool once=False) -> ()", "warn", warn, NULL},
    {"warn_for(Tensor x) -> int", "warn_for", warn_for, NULL},
};

static tenon_status serve(tenon_library* library, const served* one) {
  tenon_kernel kernel = {0};
  kernel.struct_size = sizeof kernel;
  kernel.boxed = one->boxed;
  kernel.typed = one->typed;
  kernel.signature = one->typed != NULL ? TENSOR_TO_TENSOR : 0;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = one->name;
  tenon_status status = tenon_library_define(library, one->schema, NULL, NULL);
  if (status != TENON_OK) return status;
  return tenon_library_impl(library, one->name, TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &kernel,
                            NULL);
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  tenon_library* library;
  (void)self;
  tenon_status status = tenon_library_new(TENON_LIBRARY_DEF, "test_python_foreign", TENON_KEY_NONE,
                                          __FILE__, __LINE__, &library);
  for (size_t i = 0; status == TENON_OK && i < sizeof ops / sizeof *ops; i++) {
    status = serve(library, &ops[i]);
  }
  if (status != TENON_OK) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release(state); }

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);
const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min, uint32_t host_abi_max) {
  static const tenon_plugin_descriptor descriptor = {sizeof(tenon_plugin_descriptor),
                                                     TENON_ABI_VERSION,
                                                     "python_test_foreign",
                                                     "1",
                                                     "",
                                                     TENON_SANITIZER_CURRENT,
                                                     0,
                                                     NULL,
                                                     load,
                                                     unload,
                                                     {0, 0, 0, 0}};
  (void)host_abi_min;
  (void)host_abi_max;
  return &descriptor;
}
