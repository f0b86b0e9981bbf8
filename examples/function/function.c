/* SPDX-License-Identifier: Apache-2.0 */
/* A custom autograd function in C. */
#include <stdio.h>

#include <tenon/tenon.h>

/* Calls an operator of two tensors. */
static tenon_status apply(const char* name, tenon_tensor* a, tenon_tensor* b, tenon_tensor** out) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  const tenon_op* op = NULL;
  tenon_value ret = {0, 0, 0, {0}};
  tenon_status status = tenon_op_find(name, &op);
  if (!status) status = tenon_op_call_named(op, args, 2, NULL, NULL, 0, &ret, 1);
  *out = ret.as.tensor;
  return status;
}

/* [quote.begin function] */
static tenon_status square_forward(void* ctx, tenon_function_context* context, tenon_stack* stack) {
  tenon_tensor* result = NULL;
  tenon_status status =
      apply("aten::mul.Tensor", stack->args[0].as.tensor, stack->args[0].as.tensor, &result);
  (void)ctx;
  if (!status) stack->rets[0] = tenon_value_give(tenon_value_of_tensor(result));
  if (!status) status = tenon_function_context_save(context, stack->args, 1);
  return status;
}

static tenon_status square_backward(const tenon_backward_call* call) {
  tenon_tensor *x = call->saved[0].as.tensor, *twice = NULL;
  tenon_status status = apply("aten::add.Tensor", x, x, &twice);
  if (!status) status = apply("aten::mul.Tensor", call->grads[0], twice, &call->out_grads[0]);
  tenon_tensor_release(twice);
  return status;
}

static tenon_status make_square(tenon_object** function) {
  tenon_function_type type = {.struct_size = sizeof type, .name = "Square"};
  type.forward = square_forward;
  type.backward = square_backward;
  type.language = TENON_LANGUAGE_C;
  return tenon_function_new(&type, function);
}
/* [quote.end] */

static tenon_status run(double* slope) {
  const int64_t one = 1;
  tenon_tensor *x = NULL, *grad = NULL;
  tenon_object* function = NULL;
  tenon_value y = {0, 0, 0, {0}};
  void* data = NULL;
  tenon_status status = tenon_tensor_new(TENON_DTYPE_F64, NULL, 1, &one, NULL, &x);
  if (!status) status = tenon_tensor_data(x, &data);
  if (!status) *(double*)data = 3;
  if (!status) status = tenon_tensor_set_requires_grad(x, 1);
  if (!status) status = make_square(&function);
  if (!status) {
    const tenon_value arg = tenon_value_of_tensor(x);
    status = tenon_function_apply(function, &arg, 1, &y);
  }
  if (!status) {
    tenon_backward_options options = {.struct_size = sizeof options, .noutputs = 1};
    options.outputs = &y.as.tensor;
    status = tenon_backward(&options);
  }
  if (!status) status = tenon_tensor_copy_grad(x, &grad);
  if (!status) status = tenon_tensor_data(grad, &data);
  if (!status) *slope = *(double*)data;
  tenon_value_clear(&y);
  tenon_tensor_release(grad);
  tenon_object_release(function);
  tenon_tensor_release(x);
  return status;
}

int main(void) {
  double slope = 0;
  if (run(&slope) != TENON_OK) {
    tenon_error* error = tenon_error_take();
    fprintf(stderr, "%s\n", tenon_error_format(error));
    tenon_error_release(error);
    return 1;
  }
  printf("%g\n", slope);
  return slope == 6 ? 0 : 1;
}
