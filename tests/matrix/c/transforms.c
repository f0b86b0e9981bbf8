// SPDX-License-Identifier: Apache-2.0
// Transforms in C: operators whose batching rules another language registers, batching rules for
// other languages' operators, calls under vmap, and derivatives of other languages' functions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "role.h"

// Calls an operator with one result.
static tenon_status call_one(const char* name, const tenon_value* args, int64_t nargs,
                             tenon_value* ret) {
  const tenon_op* op = NULL;
  *ret = tenon_value_of_none();
  const tenon_status status = tenon_op_find(name, &op);
  return status != TENON_OK ? status : tenon_op_call_named(op, args, nargs, NULL, NULL, 0, ret, 1);
}

// ---- Batching rules -----------------------------------------------------------------------------

// Computes a * a.ndim, so that a loop over the examples would see one dimension less.
static tenon_status widen_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                 tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  const double ndim = (double)tenon_tensor_ndim(stack->args[0].as.tensor);
  const tenon_value args[2] = {stack->args[0], tenon_value_of_float(ndim)};
  return call_one("aten::mul.Scalar", args, 2, &stack->rets[0]);
}

tenon_status matrix_c_widens(const char* ns) {
  tenon_library* library = NULL;
  const tenon_status status = matrix_c_open(ns, &library);
  if (status != TENON_OK) return status;
  return matrix_c_add_operator(library, "widen(Tensor a) -> Tensor", "widen", &widen_kernel);
}

// [quote.begin rule]
static tenon_status widen_rule(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                               const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims) {
  (void)ctx, (void)info;
  *out_dims = tenon_value_of_int(in_dims[0]);
  return tenon_op_call(op, stack);
}

tenon_status matrix_c_rules(const char* ns) {
  tenon_library* library = NULL;
  const tenon_status status = matrix_c_open(ns, &library);
  if (status != TENON_OK) return status;
  tenon_vmap_rule rule;
  memset(&rule, 0, sizeof rule);
  rule.struct_size = sizeof rule;
  rule.fn = &widen_rule;
  rule.language = TENON_LANGUAGE_C;
  rule.name = "widen_rule";
  rule.file = __FILE__;
  rule.line = __LINE__;
  return tenon_library_register_vmap(library, "widen", &rule, NULL);
}
// [quote.end]

static tenon_status call_op(void* ctx, tenon_stack* stack) { return tenon_op_call(ctx, stack); }

// Compares elements in memory order.
static tenon_status expect(const char* what, tenon_tensor* tensor, const float* expected,
                           int64_t count) {
  void* data = NULL;
  const tenon_status status = tenon_tensor_data(tensor, &data);
  if (status != TENON_OK) return status;
  for (int64_t i = 0; i < count; ++i) {
    if (tenon_tensor_numel(tensor) == count && ((const float*)data)[i] == expected[i]) continue;
    char message[96];
    snprintf(message, sizeof message, "matrix_c::%s: element %d must be %g", what, (int)i,
             (double)expected[i]);
    return tenon_error_raise(TENON_ERROR_RUNTIME, message);
  }
  return TENON_OK;
}

tenon_status matrix_c_map(const char* ns) {
  static const float elements[4] = {1, 2, 3, 4}, alone[4] = {2, 4, 6, 8};
  static const int64_t sizes[2] = {2, 2};
  char name[96];
  const tenon_op* op = NULL;
  snprintf(name, sizeof name, "%s::widen", ns);
  tenon_status status = tenon_op_find(name, &op);
  if (status != TENON_OK) return status;
  tenon_tensor* x = matrix_c_vector(elements, 4);
  const tenon_value view[2] = {tenon_value_of_tensor(x), tenon_value_of_ints(sizes, 2)};
  tenon_value square = tenon_value_of_none(), ret = tenon_value_of_none();
  status = call_one("aten::view", view, 2, &square);
  if (status == TENON_OK) {
    tenon_stack stack;
    memset(&stack, 0, sizeof stack);
    stack.args = &square;
    stack.nargs = 1;
    stack.rets = &ret;
    stack.nrets = 1;
    status = tenon_vmap(&call_op, (void*)op, NULL, &stack);
  }
  if (status == TENON_OK) status = expect("map", ret.as.tensor, alone, 4);
  tenon_value_clear(&ret);
  tenon_value_clear(&square);
  tenon_tensor_release(x);
  return status;
}

// ---- Functions ----------------------------------------------------------------------------------

// Adapts a function object to the signature of a C function.
static tenon_status call_object(void* ctx, tenon_stack* stack) {
  return tenon_object_call(ctx, stack);
}

// Computes the sum of a function's result.
static tenon_status call_and_sum(void* ctx, tenon_stack* stack) {
  tenon_value ret = tenon_value_of_none();
  tenon_stack inner = *stack;
  inner.rets = &ret;
  tenon_status status = tenon_object_call(ctx, &inner);
  if (status == TENON_OK) status = call_one("aten::sum", &ret, 1, &stack->rets[0]);
  tenon_value_clear(&ret);
  return status;
}

static tenon_status by_grad(tenon_object* function, tenon_stack* stack) {
  tenon_value sum = tenon_value_of_none();
  tenon_stack inner = *stack;
  inner.rets = &sum;
  tenon_pullback* pullback = NULL;
  tenon_tensor *one = NULL, *grad = NULL;
  tenon_status status = tenon_vjp(&call_and_sum, function, &inner, &pullback);
  if (status == TENON_OK) status = tenon_pullback_run(pullback, &one, 1, &grad);
  if (status == TENON_OK) stack->rets[0] = tenon_value_give(tenon_value_of_tensor(grad));
  tenon_pullback_release(pullback);
  tenon_value_clear(&sum);
  return status;
}

static tenon_status by_jvp(tenon_object* function, tenon_stack* stack) {
  tenon_value ones, value = tenon_value_of_none();
  tenon_status status = call_one("aten::ones_like", stack->args, 1, &ones);
  if (status != TENON_OK) return status;
  tenon_stack inner = *stack;
  inner.rets = &value;
  status = tenon_jvp(&call_object, function, &inner, &ones.as.tensor, &stack->rets[0]);
  tenon_value_clear(&value);
  tenon_value_clear(&ones);
  return status;
}

// A transform of a function of any language.
typedef struct transformed {
  tenon_object* function;
  char kind;
} transformed;

static tenon_status call_transformed(void* self, tenon_stack* stack) {
  const transformed* one = self;
  switch (one->kind) {
    case 'v':
      return tenon_vmap(&call_object, one->function, NULL, stack);
    case 'g':
      return by_grad(one->function, stack);
    default:
      return by_jvp(one->function, stack);
  }
}

static void delete_transformed(void* self) {
  transformed* one = self;
  tenon_object_release(one->function);
  free(one);
}

static const tenon_object_type transformed_type = {.struct_size = sizeof(tenon_object_type),
                                                   .language = TENON_LANGUAGE_C,
                                                   .name = "matrix_c.transformed",
                                                   .release = delete_transformed,
                                                   .call = call_transformed};

static tenon_status new_function(const tenon_object_type* type, void* self, tenon_value* ret) {
  tenon_object* object = NULL;
  const tenon_status status = tenon_object_new(type, self, &object);
  if (status == TENON_OK) *ret = tenon_value_give(tenon_value_of_function(object));
  return status;
}

tenon_status matrix_c_transform(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  transformed* one = malloc(sizeof *one);
  if (one == NULL) return tenon_error_raise(TENON_ERROR_OUT_OF_MEMORY, "matrix_c: no memory");
  one->function = tenon_object_retain(tenon_object_of_value(&stack->args[0]));
  one->kind = *(const char*)stack->args[1].as.list.data;
  const tenon_status status = new_function(&transformed_type, one, &stack->rets[0]);
  if (status != TENON_OK) delete_transformed(one);
  return status;
}

// Computes x^3 with operators.
static tenon_status power(void* self, tenon_stack* stack) {
  (void)self;
  const tenon_value twice[2] = {stack->args[0], stack->args[0]};
  tenon_value square;
  tenon_status status = call_one("aten::mul.Tensor", twice, 2, &square);
  if (status != TENON_OK) return status;
  const tenon_value args[2] = {square, stack->args[0]};
  status = call_one("aten::mul.Tensor", args, 2, &stack->rets[0]);
  tenon_value_clear(&square);
  return status;
}

static const tenon_object_type power_type = {.struct_size = sizeof(tenon_object_type),
                                             .language = TENON_LANGUAGE_C,
                                             .name = "matrix_c.power",
                                             .call = power};

tenon_status matrix_c_power(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  return new_function(&power_type, NULL, &stack->rets[0]);
}

tenon_status matrix_c_attempt(void* ctx, const tenon_op* op, tenon_keyset keys,
                              tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_value ret = tenon_value_of_none();
  tenon_stack call = {.args = &stack->args[1], .nargs = 1, .rets = &ret, .nrets = 1};
  const tenon_status status = tenon_object_call(tenon_object_of_value(&stack->args[0]), &call);
  tenon_value_clear(&ret);
  return matrix_c_comes_home(status);
}

// ---- Nested by the host -------------------------------------------------------------------------

// Replaces a function by its transform, made by a language.
static tenon_status transform_by(const char* language, const char* kind, tenon_value* function) {
  char name[64];
  snprintf(name, sizeof name, "matrix_%s::transform", language);
  const tenon_value args[2] = {*function, tenon_value_of_string(kind, (uint32_t)strlen(kind))};
  tenon_value next;
  const tenon_status status = call_one(name, args, 2, &next);
  tenon_value_clear(function);
  *function = next;
  return status;
}

static tenon_status expect_no_layer(tenon_status status) {
  tenon_layer* layer = tenon_layer_copy_innermost();
  if (layer == NULL) return status;
  tenon_layer_release(layer);
  return tenon_error_raise(TENON_ERROR_RUNTIME, "matrix_c: transforms must leave no layer");
}

tenon_status matrix_c_nest(const char* inner, const char* middle, const char* outer) {
  static const float elements[3] = {1, 2, 3}, expected[3] = {6, 12, 18};
  char name[64];
  snprintf(name, sizeof name, "matrix_%s::power", inner);
  tenon_value function = tenon_value_of_none(), ret = tenon_value_of_none();
  // jvp, with tangents of ones, of the gradient of the sum of x^3 under vmap.
  tenon_status status = call_one(name, NULL, 0, &function);
  if (status == TENON_OK) status = transform_by(inner, "vmap", &function);
  if (status == TENON_OK) status = transform_by(middle, "grad", &function);
  if (status == TENON_OK) status = transform_by(outer, "jvp", &function);
  tenon_tensor* x = matrix_c_vector(elements, 3);
  tenon_value arg = tenon_value_of_tensor(x);
  tenon_stack stack = {.args = &arg, .nargs = 1, .rets = &ret, .nrets = 1};
  if (status == TENON_OK) status = tenon_object_call(tenon_object_of_value(&function), &stack);
  if (status == TENON_OK) status = expect("nest", ret.as.tensor, expected, 3);
  tenon_value_clear(&ret);
  tenon_value_clear(&function);
  tenon_tensor_release(x);
  return expect_no_layer(status);
}

// Raises the error of the language named by `self`.
static tenon_status call_raise(void* self, tenon_stack* stack) {
  (void)stack;
  return matrix_c_relay(self);
}

static const tenon_object_type raising_type = {.struct_size = sizeof(tenon_object_type),
                                               .language = TENON_LANGUAGE_C,
                                               .name = "matrix_c.raising",
                                               .call = call_raise};

tenon_status matrix_c_escape(const char* home, const char* inner, const char* outer) {
  static const float elements[3] = {1, 2, 3};
  char name[64];
  tenon_value args[2] = {tenon_value_of_none(), tenon_value_of_none()};
  tenon_status status = new_function(&raising_type, (void*)home, &args[0]);
  if (status == TENON_OK) status = transform_by(inner, "vmap", &args[0]);
  if (status == TENON_OK) status = transform_by(outer, "grad", &args[0]);
  args[1] = tenon_value_give(tenon_value_of_tensor(matrix_c_vector(elements, 3)));
  snprintf(name, sizeof name, "matrix_%s::attempt", home);
  const tenon_op* op = NULL;
  if (status == TENON_OK) status = tenon_op_find(name, &op);
  if (status == TENON_OK) status = tenon_op_call_named(op, args, 2, NULL, NULL, 0, NULL, 0);
  tenon_value_clear_n(args, 2);
  return expect_no_layer(status);
}
