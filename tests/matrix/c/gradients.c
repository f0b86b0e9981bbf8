// SPDX-License-Identifier: Apache-2.0
// Gradients in C: operators that another language differentiates, formulas for other languages'
// operators, and backward passes over both.
#include <stdio.h>
#include <string.h>

#include "role.h"

// ---- Operators ----------------------------------------------------------------------------------

// Computes out[i] = a[i] * b[i], or copies a if b is NULL.
static tenon_status multiplied(const tenon_tensor* a, const tenon_tensor* b, tenon_value* ret) {
  tenon_tensor_info from;
  tenon_status status = tenon_tensor_describe(a, &from);
  if (status != TENON_OK) return status;
  void* factors = NULL;
  if (b != NULL && (status = tenon_tensor_data(b, &factors)) != TENON_OK) return status;
  tenon_tensor* out = NULL;
  status = tenon_tensor_new(TENON_DTYPE_F32, NULL, from.ndim, from.sizes, NULL, &out);
  if (status != TENON_OK) return status;
  void* data = NULL;
  status = tenon_tensor_data(out, &data);
  if (status != TENON_OK) {
    tenon_tensor_release(out);
    return status;
  }
  for (int64_t i = 0; i < from.numel; ++i) {
    const float factor = factors != NULL ? ((const float*)factors)[i] : 1;
    ((float*)data)[i] = ((const float*)from.data)[i] * factor;
  }
  *ret = tenon_value_of_tensor(out);
  ret->flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

static tenon_status product_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                   tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return multiplied(stack->args[0].as.tensor, stack->args[1].as.tensor, &stack->rets[0]);
}

static tenon_status relayed_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                   tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return multiplied(stack->args[0].as.tensor, NULL, &stack->rets[0]);
}

tenon_status matrix_c_add_operator(tenon_library* library, const char* schema, const char* name,
                                   tenon_kernel_fn boxed) {
  const tenon_status status = tenon_library_define(library, schema, NULL, NULL);
  if (status != TENON_OK) return status;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = boxed;
  kernel.language = TENON_LANGUAGE_C;
  kernel.name = name;
  kernel.file = __FILE__;
  kernel.line = __LINE__;
  return tenon_library_impl(library, name, TENON_KEY_CPU, &kernel, NULL);
}

tenon_status matrix_c_products(const char* ns) {
  tenon_library* library = NULL;
  tenon_status status = matrix_c_open(ns, &library);
  if (status == TENON_OK) {
    status = matrix_c_add_operator(library, "product(Tensor a, Tensor b) -> Tensor", "product",
                                   &product_kernel);
  }
  if (status == TENON_OK) {
    status = matrix_c_add_operator(library, "relayed(Tensor a, str path) -> Tensor", "relayed",
                                   &relayed_kernel);
  }
  return status;
}

// ---- Formulas -----------------------------------------------------------------------------------

tenon_status matrix_c_call_tensors(const char* name, const tenon_value* args, int64_t nargs,
                                   tenon_tensor** out_tensor) {
  const tenon_op* op = NULL;
  tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) return status;
  tenon_value ret = tenon_value_of_none();
  status = tenon_op_call_named(op, args, nargs, NULL, NULL, 0, &ret, 1);
  if (status == TENON_OK) *out_tensor = ret.as.tensor;
  return status;
}

static tenon_status of_product(const tenon_backward_call* call) {
  for (int i = 0; i < 2; ++i) {
    if (call->needs[i] == 0) continue;
    const tenon_value args[2] = {tenon_value_of_tensor(call->grads[0]), call->saved[1 - i]};
    const tenon_status status =
        matrix_c_call_tensors("aten::mul.Tensor", args, 2, &call->out_grads[i]);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

static tenon_status of_relayed(const tenon_backward_call* call) {
  char path[96];
  const tenon_value* saved = &call->saved[0];
  snprintf(path, sizeof path, "%.*s", (int)saved->count, (const char*)saved->as.list.data);
  return matrix_c_relay(path);
}

static tenon_status add_formula(tenon_library* library, const char* name,
                                tenon_backward_fn backward, const char* saves) {
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.backward = backward;
  formula.saves = saves;
  formula.language = TENON_LANGUAGE_C;
  formula.file = __FILE__;
  formula.line = __LINE__;
  return tenon_library_register_autograd(library, name, &formula, NULL);
}

tenon_status matrix_c_formulas(const char* ns) {
  tenon_library* library = NULL;
  tenon_status status = matrix_c_open(ns, &library);
  if (status == TENON_OK) status = add_formula(library, "product", &of_product, "a b");
  if (status == TENON_OK) status = add_formula(library, "relayed", &of_relayed, "path");
  return status;
}

// ---- Passes -------------------------------------------------------------------------------------

tenon_status matrix_c_check_near(const tenon_tensor* tensor, const float* expected) {
  void* data = NULL;
  if (tensor == NULL) {
    return tenon_error_raise(TENON_ERROR_RUNTIME, "matrix_c::slopes: must be there, got none");
  }
  const tenon_status status = tenon_tensor_data(tensor, &data);
  for (int i = 0; status == TENON_OK && i < 2; ++i) {
    if (((const float*)data)[i] != expected[i]) {
      char message[128];
      snprintf(message, sizeof message, "matrix_c::slopes: gradient[%d] must be %g, got %g", i,
               (double)expected[i], (double)((const float*)data)[i]);
      return tenon_error_raise(TENON_ERROR_RUNTIME, message);
    }
  }
  return status;
}

static tenon_status sum_of(tenon_tensor* tensor, tenon_tensor** out_sum) {
  const tenon_value arg = tenon_value_of_tensor(tensor);
  return matrix_c_call_tensors("aten::sum", &arg, 1, out_sum);
}

static tenon_backward_options from(tenon_tensor* const* output) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.outputs = output;
  options.noutputs = 1;
  return options;
}

static tenon_status run_backward(tenon_tensor* of) {
  tenon_tensor* sum = NULL;
  tenon_status status = sum_of(of, &sum);
  if (status == TENON_OK) {
    const tenon_backward_options options = from(&sum);
    status = tenon_backward(&options);
  }
  tenon_tensor_release(sum);
  return status;
}

tenon_status matrix_c_slope_of(tenon_tensor* of, tenon_tensor* x, tenon_tensor** out_slope) {
  tenon_tensor* sum = NULL;
  tenon_status status = sum_of(of, &sum);
  if (status == TENON_OK) {
    tenon_backward_options options = from(&sum);
    options.flags = TENON_BACKWARD_CREATE_GRAPH;
    options.inputs = &x;
    options.ninputs = 1;
    status = tenon_grad(&options, out_slope);
  }
  tenon_tensor_release(sum);
  return status;
}

// Differentiates x^3 twice and checks the results.
static tenon_status check_slopes(tenon_tensor* cube, tenon_tensor* x) {
  static const float first[2] = {12, 27}, second[2] = {12, 18};
  tenon_tensor *slope = NULL, *curve = NULL;
  tenon_status status = matrix_c_slope_of(cube, x, &slope);
  if (status == TENON_OK) status = matrix_c_check_near(slope, first);
  if (status == TENON_OK) status = run_backward(slope);
  if (status == TENON_OK) status = tenon_tensor_copy_grad(x, &curve);
  if (status == TENON_OK) status = matrix_c_check_near(curve, second);
  tenon_tensor_release(slope);
  tenon_tensor_release(curve);
  return status;
}

tenon_status matrix_c_new_leaf(tenon_tensor** out_leaf) {
  static const float elements[2] = {2, 3};
  *out_leaf = matrix_c_vector(elements, 2);
  if (*out_leaf == NULL) {
    return tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "matrix_c: no memory for a leaf");
  }
  return tenon_tensor_set_requires_grad(*out_leaf, 1);
}

// Computes x^3 by calling the operator `product` twice.
static tenon_status cube_by(const char* product, tenon_tensor* x, tenon_tensor** out_cube) {
  tenon_tensor* square = NULL;
  tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x)};
  tenon_status status = matrix_c_call_tensors(product, args, 2, &square);
  if (status == TENON_OK) {
    args[0] = tenon_value_of_tensor(square);
    status = matrix_c_call_tensors(product, args, 2, out_cube);
  }
  tenon_tensor_release(square);
  return status;
}

tenon_status matrix_c_slopes(const char* ns) {
  char product[96], relayed[96];
  snprintf(product, sizeof product, "%s::product", ns);
  snprintf(relayed, sizeof relayed, "%s::relayed", ns);
  tenon_tensor *x = NULL, *cube = NULL, *failing = NULL;
  tenon_status status = matrix_c_new_leaf(&x);
  if (status == TENON_OK) status = cube_by(product, x, &cube);
  if (status == TENON_OK) status = check_slopes(cube, x);
  if (status == TENON_OK) {
    const tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_string("c", 1)};
    status = matrix_c_call_tensors(relayed, args, 2, &failing);
  }
  if (status == TENON_OK) status = matrix_c_comes_home(run_backward(failing));
  tenon_tensor_release(failing);
  tenon_tensor_release(cube);
  tenon_tensor_release(x);
  return status;
}

// ---- A custom autograd function -----------------------------------------------------------------

// Computes x^3 and saves x.
static tenon_status cube_forward(void* ctx, tenon_function_context* context, tenon_stack* stack) {
  (void)ctx;
  tenon_tensor* cube = NULL;
  tenon_status status = tenon_function_context_save(context, stack->args, 1);
  if (status == TENON_OK) status = cube_by("aten::mul.Tensor", stack->args[0].as.tensor, &cube);
  if (status == TENON_OK) stack->rets[0] = tenon_value_give(tenon_value_of_tensor(cube));
  return status;
}

// 3 x^2 grad
static tenon_status cube_backward(const tenon_backward_call* call) {
  tenon_tensor *once = NULL, *twice = NULL;
  tenon_value args[2] = {tenon_value_of_tensor(call->grads[0]), call->saved[0]};
  tenon_status status = matrix_c_call_tensors("aten::mul.Tensor", args, 2, &once);
  args[0] = tenon_value_of_tensor(once);
  if (status == TENON_OK) status = matrix_c_call_tensors("aten::mul.Tensor", args, 2, &twice);
  args[0] = tenon_value_of_tensor(twice);
  args[1] = tenon_value_of_int(3);
  if (status == TENON_OK) {
    status = matrix_c_call_tensors("aten::mul.Scalar", args, 2, &call->out_grads[0]);
  }
  tenon_tensor_release(once);
  tenon_tensor_release(twice);
  return status;
}

tenon_status matrix_c_cube(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_function_type type;
  memset(&type, 0, sizeof type);
  type.struct_size = sizeof type;
  type.name = "Cube";
  type.forward = &cube_forward;
  type.backward = &cube_backward;
  type.language = TENON_LANGUAGE_C;
  tenon_object* function = NULL;
  const tenon_status status = tenon_function_new(&type, &function);
  if (status == TENON_OK) stack->rets[0] = tenon_value_give(tenon_value_of_function(function));
  return status;
}

tenon_status matrix_c_apply(const char* language) {
  char name[64];
  snprintf(name, sizeof name, "matrix_%s::cube", language);
  const tenon_op* op = NULL;
  tenon_status status = tenon_op_find(name, &op);
  tenon_value function = tenon_value_of_none(), ret = tenon_value_of_none();
  tenon_tensor* x = NULL;
  if (status == TENON_OK) {
    status = tenon_op_call_named(op, NULL, 0, NULL, NULL, 0, &function, 1);
  }
  if (status == TENON_OK) status = matrix_c_new_leaf(&x);
  if (status == TENON_OK) {
    tenon_value arg = tenon_value_of_tensor(x);
    tenon_stack stack;
    memset(&stack, 0, sizeof stack);
    stack.args = &arg;
    stack.nargs = 1;
    stack.rets = &ret;
    stack.nrets = 1;
    status = tenon_object_call(function.as.object, &stack);
  }
  if (status == TENON_OK) status = check_slopes(ret.as.tensor, x);
  tenon_value_clear(&ret);
  tenon_value_clear(&function);
  tenon_tensor_release(x);
  return status;
}
