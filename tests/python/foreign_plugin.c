/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin for the Python suite: what kernels of other languages may do that Python's cannot. */
#include "tenon/tenon.h"

#define UNUSED(ctx, op, keys) ((void)(ctx), (void)(op), (void)(keys))

/* ---- Results that are no tensor -------------------------------------------------------------- */

/* Says that it worked, and gives a handle that is none. */
static tenon_status give_null(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  stack->rets[0].tag = TENON_TAG_TENSOR;
  stack->rets[0].flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

/* Says that it worked, and writes nothing. */
static tenon_status give_nothing(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  UNUSED(ctx, op, keys);
  (void)stack;
  return TENON_OK;
}

/* The typed form of both: nothing in `out`. */
static tenon_status give_typed_null(const tenon_frame* frame, tenon_tensor* x, tenon_tensor** out) {
  (void)frame;
  (void)x;
  *out = NULL;
  return TENON_OK;
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
