// SPDX-License-Identifier: Apache-2.0
// A plugin for the ABI of the first headers: kernels of every sort, a fallback on the plugin's key,
// and a device. This source is kept as it was written: it must not use later additions.
#include <stdlib.h>
#include <string.h>

#include <tenon/tenon.h>

#include "first.h"

static tenon_status raise_type(const char* message) {
  return tenon_error_raise(TENON_ERROR_NOT_SUPPORTED, message);
}

static tenon_value owned_tensor(tenon_tensor* tensor) {
  tenon_value value;
  memset(&value, 0, sizeof value);
  value.tag = TENON_TAG_TENSOR;
  value.flags = TENON_VALUE_OWNED;
  value.as.tensor = tensor;
  return value;
}

// ---- scale(Tensor x, float by=2.0) -> Tensor: boxed and typed -----------------------------------

static tenon_status scale_typed(const tenon_frame* frame, tenon_tensor* x, double by,
                                tenon_tensor** out) {
  tenon_tensor_info info;
  void* data = NULL;
  (void)frame;
  const tenon_status described = tenon_tensor_describe(x, &info);
  if (described != TENON_OK) return described;
  if (info.dtype != TENON_DTYPE_F32 || !(info.flags & TENON_TENSOR_CONTIGUOUS)) {
    return raise_type("first::scale: x must be a contiguous float32 tensor");
  }
  const tenon_status made =
      tenon_tensor_new(info.dtype, &info.device, info.ndim, info.sizes, NULL, out);
  if (made != TENON_OK) return made;
  const tenon_status found = tenon_tensor_data(*out, &data);
  for (int64_t i = 0; found == TENON_OK && i < info.numel; ++i) {
    ((float*)data)[i] = (float)(((const float*)info.data)[i] * by);
  }
  return found;
}

static tenon_status scale(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  tenon_tensor* out = NULL;
  (void)ctx, (void)op, (void)keys;
  const tenon_status status =
      scale_typed(NULL, stack->args[0].as.tensor, stack->args[1].as.f, &out);
  if (status == TENON_OK) stack->rets[0] = owned_tensor(out);
  return status;
}

// ---- fill_(Tensor(a!) x, int value) -> Tensor(a!): writes its argument and returns it -----------

static tenon_status fill(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  tenon_tensor* x = stack->args[0].as.tensor;
  void* data = NULL;
  (void)ctx, (void)op, (void)keys;
  const tenon_status status = tenon_tensor_data(x, &data);
  if (status != TENON_OK) return status;
  for (int64_t i = 0; i < tenon_tensor_numel(x); ++i) {
    ((float*)data)[i] = (float)stack->args[1].as.i;
  }
  stack->rets[0] = owned_tensor(tenon_tensor_retain(x));
  return TENON_OK;
}

// ---- total(Tensor[] xs, Tensor? extra=None) -> float: lists and absent arguments ----------------

static double sum_of(const tenon_tensor* tensor) {
  void* data = NULL;
  double sum = 0;
  if (tensor == NULL || tenon_tensor_data(tensor, &data) != TENON_OK) return 0;
  for (int64_t i = 0; i < tenon_tensor_numel(tensor); ++i) sum += (double)((float*)data)[i];
  return sum;
}

static tenon_status total_typed(const tenon_frame* frame, tenon_tensor* const* xs, int64_t count,
                                tenon_tensor* extra, double* out) {
  (void)frame;
  *out = sum_of(extra);
  for (int64_t i = 0; i < count; ++i) *out += sum_of(xs[i]);
  return TENON_OK;
}

static tenon_status total(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const tenon_value *xs = &stack->args[0], *extra = &stack->args[1];
  (void)ctx, (void)op, (void)keys;
  stack->rets[0].tag = TENON_TAG_FLOAT;
  return total_typed(NULL, xs->as.list.data, xs->count,
                     extra->tag == TENON_TAG_TENSOR ? extra->as.tensor : NULL,
                     &stack->rets[0].as.f);
}

// ---- join(str[] words, str? by=None) -> (str, int): texts in lists, several results -------------

static tenon_status join(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const tenon_value *words = &stack->args[0], *by = &stack->args[1];
  const tenon_value* word = words->as.list.data;
  char text[200];
  int64_t size = 0;
  (void)ctx, (void)op, (void)keys;
  for (uint32_t i = 0; i < words->count; ++i) {
    if (size + by->count + word[i].count > (int64_t)sizeof text) {
      return tenon_error_raise(TENON_ERROR_INVALID_ARGUMENT, "first::join: words must be short");
    }
    if (i > 0 && by->tag == TENON_TAG_STRING) {
      memcpy(text + size, by->as.list.data, by->count);
      size += by->count;
    }
    memcpy(text + size, word[i].as.list.data, word[i].count);
    size += word[i].count;
  }
  stack->rets[1].tag = TENON_TAG_INT;
  stack->rets[1].as.i = words->count;
  return tenon_value_new_string(text, size, &stack->rets[0]);
}

// ---- pass(Any x) -> Any and print(Any x) -> str: values of every sort ---------------------------

static tenon_status pass(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

static tenon_status print(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  tenon_buffer* text = NULL;
  (void)ctx, (void)op, (void)keys;
  const tenon_status status = tenon_value_print(&stack->args[0], &text);
  if (status != TENON_OK) return status;
  const tenon_status made =
      tenon_value_new_string(tenon_buffer_data(text), tenon_buffer_size(text), &stack->rets[0]);
  tenon_buffer_release(text);
  return made;
}

// ---- fails(str how) -> (): each way in which a kernel can fail ----------------------------------

static int payloads = 0;  // how many payloads live

static void drop_payload(void* payload) { --*(int*)payload; }

static tenon_error* rich_error(void) {
  tenon_error* error = tenon_error_new(TENON_ERROR_STATE, "FirstError", "first: in the stack");
  tenon_error_add_note(error, "a note of the plugin");
  tenon_error_add_frame(error, TENON_LANGUAGE_C, "rich_error", "plugin.c", 7);
  tenon_error_set_cause(error, tenon_error_new(TENON_ERROR_INDEX, NULL, "the cause"));
  ++payloads;
  tenon_error_set_payload(error, TENON_LANGUAGE_C, &payloads, &drop_payload);
  return error;
}

static tenon_status fails(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const char* how = stack->args[0].as.list.data;
  (void)ctx, (void)op, (void)keys;
  if (strncmp(how, "slot", 4) == 0) return tenon_error_raise(TENON_ERROR_INDEX, "first: in slot");
  if (strncmp(how, "silent", 6) == 0) return TENON_ERROR_BUSY;
  stack->error = rich_error();
  return tenon_error_code(stack->error);
}

// ---- A key of the plugin's own: counts calls of `first` operators and passes them on ------------

static int64_t traced = 0;

static tenon_status profile(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const tenon_key key = *(const tenon_key*)ctx;
  __atomic_fetch_add(&traced, 1, __ATOMIC_RELAXED);
  return tenon_op_redispatch(op, keys & tenon_keyset_below(key), stack);
}

static int32_t only_ours(void* ctx, const tenon_schema* schema) {
  (void)ctx;
  return strncmp(tenon_schema_name(schema), "first::", 7) == 0 ? TENON_SELECT_KERNEL
                                                               : TENON_SELECT_FALLTHROUGH;
}

static tenon_status count_traced(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  stack->rets[0].tag = TENON_TAG_INT;
  stack->rets[0].as.i = __atomic_load_n(&traced, __ATOMIC_RELAXED);
  return TENON_OK;
}

// ---- make(int[] size, *, Device? device=None) -> Tensor, on the plugin's own device too ---------

static tenon_status make(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  tenon_tensor* out = NULL;
  const tenon_value *size = &stack->args[0], *device = &stack->args[1];
  (void)ctx, (void)op, (void)keys;
  const tenon_status status =
      tenon_tensor_new(TENON_DTYPE_F32, device->tag == TENON_TAG_DEVICE ? &device->as.device : NULL,
                       size->count, size->as.list.data, NULL, &out);
  if (status == TENON_OK) stack->rets[0] = owned_tensor(out);
  return status;
}

// ---- Registration -------------------------------------------------------------------------------

static tenon_key tracer = TENON_KEY_NONE;  // stays declared as long as the process lives

typedef struct loaded {
  tenon_library *operators, *fallbacks;
} loaded;

static uint64_t signature_of(const char* letters) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *letters != '\0'; ++letters) hash = (hash ^ (uint8_t)*letters) * 0x100000001b3u;
  return hash;
}

static tenon_kernel kernel_of(tenon_kernel_fn boxed, const char* name, int32_t line) {
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = boxed;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = name;
  kernel.file = "plugin.c";
  kernel.line = line;
  return kernel;
}

static tenon_status add(tenon_library* library, const char* schema, const char* name, tenon_key key,
                        const tenon_kernel* kernel) {
  static const char* const tags[] = {"first_tag"};
  tenon_define_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.tags = tags;
  options.tag_count = 1;
  options.file = "plugin.c";
  options.line = 1;
  const tenon_status status = tenon_library_define(library, schema, &options, NULL);
  return status == TENON_OK ? tenon_library_impl(library, name, key, kernel, NULL) : status;
}

static tenon_status add_plain(tenon_library* library, const char* schema, const char* name,
                              tenon_key key, tenon_kernel_fn boxed) {
  const tenon_kernel kernel = kernel_of(boxed, name, 10);
  return add(library, schema, name, key, &kernel);
}

static tenon_status add_typed(tenon_library* library, const char* schema, const char* name,
                              tenon_kernel_fn boxed, tenon_typed_fn typed, const char* letters) {
  tenon_kernel kernel = kernel_of(boxed, name, 20);
  kernel.typed = typed;
  kernel.signature = signature_of(letters);
  kernel.flags = TENON_KERNEL_NOBLOCK;
  kernel.noblock_max_numel = 1000;
  return add(library, schema, name, TENON_KEY_CPU, &kernel);
}

static tenon_status add_operators(tenon_library* library) {
  tenon_key own = TENON_KEY_NONE;
  const tenon_kernel on_device = kernel_of(&make, "make_on_device", 30);
  const tenon_key any = TENON_KEY_NONE;  // CompositeImplicitAutograd
  const tenon_key explicitly = TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD;
  tenon_status status = add_typed(library, "scale(Tensor x, float by=2.0) -> Tensor", "scale",
                                  &scale, (tenon_typed_fn)&scale_typed, "Td>T");
  if (!status) {
    status = add_typed(library, "first::total(Tensor[] xs, Tensor? extra=None) -> float", "total",
                       &total, (tenon_typed_fn)&total_typed, "LT>d");
  }
  if (!status) {
    status = add_plain(library, "fill_(Tensor(a!) x, int value) -> Tensor(a!)", "fill_",
                       TENON_KEY_CPU, &fill);
  }
  if (!status) {
    status = add_plain(library, "join(str[] words, str? by=None) -> (str text, int words)", "join",
                       any, &join);
  }
  if (!status) status = add_plain(library, "pass(Any x) -> Any", "pass", explicitly, &pass);
  if (!status) status = add_plain(library, "print(Any x) -> str", "print", explicitly, &print);
  if (!status) status = add_plain(library, "fails(str how) -> ()", "fails", any, &fails);
  if (!status) status = add_plain(library, "traced() -> int", "traced", any, &count_traced);
  if (!status) {
    status = add_plain(library, "make(int[] size, *, Device? device=None) -> Tensor", "make",
                       TENON_KEY_CPU, &make);
  }
  if (!status) status = tenon_key_for_device("first", &own);
  return status ? status : tenon_library_impl(library, "make", own, &on_device, NULL);
}

static void unload(void* state) {
  loaded* all = state;
  tenon_library_close(all->fallbacks);
  tenon_library_release(all->fallbacks);
  tenon_library_release(all->operators);
  free(all);
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  loaded* all = calloc(1, sizeof *all);
  tenon_kernel kernel = kernel_of(&profile, "profile", 40);
  if (all == NULL) return tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "first: no memory");
  kernel.ctx = &tracer;
  kernel.policy = TENON_REPLACE_OVERRIDE;
  tenon_status status =
      tenon_functionality_register("FirstProfiler", "Autograd", TENON_KEY_FLAG_ABOVE, &tracer);
  if (!status) status = first_register_device();
  if (!status) {
    status = tenon_library_new(TENON_LIBRARY_DEF, "first", TENON_KEY_NONE, tenon_plugin_path(self),
                               1, &all->operators);
  }
  if (!status) status = add_operators(all->operators);
  if (!status) {
    status =
        tenon_library_new(TENON_LIBRARY_IMPL, "_", TENON_KEY_NONE, "plugin.c", 2, &all->fallbacks);
  }
  if (!status) {
    status = tenon_library_fallback(all->fallbacks, tracer, &kernel, &only_ours, NULL);
  }
  if (status) {
    unload(all);
  } else {
    *out_state = all;
  }
  return status;
}

static const tenon_plugin_descriptor descriptor = {sizeof descriptor,
                                                   TENON_ABI_VERSION,
                                                   "abi_first",
                                                   "0.1",
                                                   "kept",
                                                   TENON_SANITIZER_CURRENT,
                                                   0,
                                                   NULL,
                                                   &load,
                                                   &unload,
                                                   {0, 0, 0, 0}};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max);
const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min, uint32_t host_abi_max) {
  return TENON_ABI_VERSION < host_abi_min || TENON_ABI_VERSION > host_abi_max ? NULL : &descriptor;
}
