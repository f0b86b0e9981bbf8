// SPDX-License-Identifier: Apache-2.0
// A plugin in C: model_c::squared_relu, an activation of transformers, with its gradient.
#include <tenon/ops/aten.h>
#include <tenon/tenon.h>

// relu(x)^2
static tenon_status squared_relu(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_tensor* const x = stack->args[0].as.tensor;
  if (tenon_tensor_dtype(x) != TENON_DTYPE_F32 ||
      (tenon_tensor_flags(x) & TENON_TENSOR_CONTIGUOUS) == 0) {
    return tenon_error_raise(
        TENON_ERROR_TYPE, "model_c::squared_relu: x must be float32 and contiguous, got another");
  }
  void *from = NULL, *to = NULL;
  tenon_tensor* y = NULL;
  tenon_status status = tenon_tensor_data(x, &from);
  if (status == TENON_OK) status = tenon_tensor_new_like(x, TENON_DTYPE_F32, &y, &to);
  if (status != TENON_OK) return status;
  const int64_t numel = tenon_tensor_numel(x);
  for (int64_t i = 0; i < numel; ++i) {
    const float kept = ((const float*)from)[i] > 0 ? ((const float*)from)[i] : 0;
    ((float*)to)[i] = kept * kept;
  }
  stack->rets[0] = tenon_value_give(tenon_value_of_tensor(y));
  return TENON_OK;
}

// Computes 2 relu(x) grad. Since it calls operators, the formula itself can be recorded.
static tenon_status squared_relu_gradient(const tenon_backward_call* call) {
  tenon_tensor *kept = NULL, *once = NULL;
  tenon_status status = aten_relu(call->saved[0].as.tensor, &kept);
  if (status == TENON_OK) status = aten_mul_Tensor(kept, call->grads[0], &once);
  const tenon_value two = tenon_value_of_int(2);
  if (status == TENON_OK) status = aten_mul_Scalar(once, two, &call->out_grads[0]);
  tenon_tensor_release(once);
  tenon_tensor_release(kept);
  return status;
}

static tenon_status load(tenon_plugin* self, void** out_state) {
  (void)self;
  const tenon_kernel kernel = {.struct_size = sizeof kernel,
                               .boxed = squared_relu,
                               .language = TENON_LANGUAGE_C,
                               .name = "squared_relu"};
  const tenon_formula formula = {.struct_size = sizeof formula,
                                 .backward = squared_relu_gradient,
                                 .saves = "x",
                                 .language = TENON_LANGUAGE_C};
  tenon_library* library = NULL;
  tenon_status status =
      tenon_library_new(TENON_LIBRARY_DEF, "model_c", TENON_KEY_NONE, __FILE__, __LINE__, &library);
  if (!status) {
    status = tenon_library_define(library, "squared_relu(Tensor x) -> Tensor", NULL, NULL);
  }
  if (!status) status = tenon_library_impl(library, "squared_relu", TENON_KEY_CPU, &kernel, NULL);
  if (!status) status = tenon_library_register_autograd(library, "squared_relu", &formula, NULL);
  if (status) {
    tenon_library_release(library);
    return status;
  }
  *out_state = library;
  return TENON_OK;
}

static void unload(void* state) { tenon_library_release(state); }

static const tenon_plugin_descriptor descriptor = {.struct_size = sizeof descriptor,
                                                   .abi_version = TENON_ABI_VERSION,
                                                   .name = "model_c",
                                                   .version = "0.1.0",
                                                   .build_id = "",
                                                   .sanitizer = TENON_SANITIZER_CURRENT,
                                                   .load = load,
                                                   .unload = unload};

TENON_EXPORT const tenon_plugin_descriptor* tenon_plugin_query(uint32_t host_abi_min,
                                                               uint32_t host_abi_max) {
  const int fits = TENON_ABI_VERSION >= host_abi_min && TENON_ABI_VERSION <= host_abi_max;
  return fits ? &descriptor : NULL;
}
