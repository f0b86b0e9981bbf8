// SPDX-License-Identifier: Apache-2.0
// Forward mode from C: dual levels, tangents of calls, views and writes, custom formulas, and leak
// checks.
#include "support.h"

#include <pthread.h>

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_tensor* apply(const char* name, const tenon_value* args, int64_t count) {
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find(name), args, count, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}
static tenon_tensor* unary(const char* name, tenon_tensor* a) {
  const tenon_value args[1] = {tenon_value_of_tensor(a)};
  return apply(name, args, 1);
}
static tenon_tensor* binary(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  return apply(name, args, 2);
}
static tenon_tensor* select_of(tenon_tensor* a, int64_t index) {
  const tenon_value args[3] = {tenon_value_of_tensor(a), tenon_value_of_int(0),
                               tenon_value_of_int(index)};
  return apply("aten::select.int", args, 3);
}

static void release_all(tenon_tensor* const* tensors, size_t count) {
  for (size_t i = 0; i < count; ++i) tenon_tensor_release(tensors[i]);
}
#define RELEASE(...)                            \
  do {                                          \
    tenon_tensor* const all[] = {__VA_ARGS__};  \
    release_all(all, sizeof all / sizeof *all); \
  } while (0)

static void assert_elements(tenon_tensor* tensor, const float* expected, int64_t count) {
  assert_non_null(tensor);
  tenon_tensor* dense = unary("aten::contiguous", tensor);
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(dense, &info));
  assert_int_equal(info.numel, count);
  for (int64_t i = 0; i < count; ++i) assert_float_equal(((float*)info.data)[i], expected[i], 1e-5);
  tenon_tensor_release(dense);
}

static tenon_tensor* tangent_of(tenon_tensor* tensor) {
  tenon_tensor *primal = NULL, *tangent = NULL;
  assert_ok(tenon_dual_unpack(tenon_dual_level(), tensor, &primal, &tangent));
  assert_non_null(primal);
  tenon_tensor_release(primal);
  return tangent;
}
// Checks a tensor's tangent; NULL expects that there is none.
static void assert_tangent(tenon_tensor* tensor, const float* expected, int64_t count) {
  tenon_tensor* tangent = tangent_of(tensor);
  if (expected == NULL) {
    assert_null(tangent);
  } else {
    assert_elements(tangent, expected, count);
  }
  tenon_tensor_release(tangent);
}

static int64_t enter(void) {
  int64_t level = -1;
  assert_ok(tenon_dual_enter(&level));
  assert_int_equal(level, tenon_dual_level());
  return level;
}
// Returns a view of a new vector with that tangent.
static tenon_tensor* dual_of(const float* elements, const float* tangent, int64_t count) {
  tenon_tensor *x = vector_of(elements, count), *t = vector_of(tangent, count), *dual = NULL;
  assert_ok(tenon_dual_make(tenon_dual_level(), x, t, &dual));
  RELEASE(x, t);
  return dual;
}

static const float kOnes[2] = {1, 1};

static void levels_do_not_nest(void** state) {
  (void)state;
  assert_int_equal(tenon_dual_level(), -1);
  assert_error(tenon_dual_leave(0), TENON_ERROR_STATE, "level");
  const int64_t level = enter();
  int64_t other = 5;
  assert_error(tenon_dual_enter(&other), TENON_ERROR_STATE, "nested");
  assert_int_equal(other, -1);
  assert_error(tenon_dual_leave(level + 1), TENON_ERROR_STATE, "level");
  assert_int_equal(tenon_dual_level(), level);
  assert_ok(tenon_dual_leave(level));
  assert_int_equal(tenon_dual_level(), -1);
}

static void duals_are_checked(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float three[3] = {1, 2, 3};
  tenon_tensor *x = vector_of(kOnes, 2), *longer = vector_of(three, 3), *dual = NULL;
  tenon_tensor *ints = NULL, *doubles = NULL, *primal = NULL, *tangent = NULL;
  const int64_t two = 2;
  assert_ok(tenon_tensor_new(TENON_DTYPE_I64, NULL, 1, &two, NULL, &ints));
  assert_ok(tenon_tensor_new(TENON_DTYPE_F64, NULL, 1, &two, NULL, &doubles));
  assert_error(tenon_dual_make(0, x, x, &dual), TENON_ERROR_STATE, "level");
  assert_error(tenon_dual_unpack(0, x, &primal, &tangent), TENON_ERROR_STATE, "level");
  const int64_t level = enter();
  assert_error(tenon_dual_make(level + 1, x, x, &dual), TENON_ERROR_STATE, "level");
  assert_error(tenon_dual_make(level, NULL, x, &dual), TENON_ERROR_INVALID_ARGUMENT, "primal");
  assert_error(tenon_dual_make(level, x, NULL, &dual), TENON_ERROR_INVALID_ARGUMENT, "tangent");
  assert_error(tenon_dual_make(level, x, longer, &dual), TENON_ERROR_STATE, "[3]");
  assert_error(tenon_dual_make(level, x, doubles, &dual), TENON_ERROR_TYPE, "float64");
  assert_error(tenon_dual_make(level, ints, ints, &dual), TENON_ERROR_TYPE, "floating");
  assert_null(dual);
  assert_ok(tenon_dual_make(level, x, x, &dual));
  tenon_tensor* again = NULL;
  assert_error(tenon_dual_make(level, dual, x, &again), TENON_ERROR_STATE,
               "must not have a tangent");
  assert_error(tenon_dual_make(level, x, dual, &again), TENON_ERROR_STATE,
               "must not have a tangent");
  assert_null(again);
  assert_ok(tenon_dual_leave(level));
  RELEASE(dual, ints, doubles, longer, x);
  assert_nothing_left(before);
}

static void calls_carry_tangents(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, b[2] = {5, 7}, t[2] = {1, 10};
  const int64_t level = enter();
  tenon_tensor *x = dual_of(a, t, 2), *w = vector_of(b, 2);
  tenon_tensor *product = binary("aten::mul.Tensor", x, w),
               *square = binary("aten::mul.Tensor", x, x);
  tenon_tensor* sum = unary("aten::sum", square);
  const float of_product[2] = {5, 70}, of_square[2] = {4, 60}, of_sum[1] = {64};
  assert_tangent(product, of_product, 2);
  assert_tangent(square, of_square, 2);
  assert_tangent(sum, of_sum, 1);
  assert_tangent(w, NULL, 0);
  tenon_tensor* detached = unary("aten::detach", x);
  assert_tangent(detached, NULL, 0);
  // Also works in no_grad mode; inference mode has no tangents.
  tenon_key_guard guard;
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  tenon_tensor* quiet = binary("aten::mul.Tensor", x, w);
  assert_tangent(quiet, of_product, 2);
  assert_ok(tenon_key_guard_leave(&guard));
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_INFERENCE, &guard));
  tenon_tensor* inferred = binary("aten::mul.Tensor", x, w);
  assert_ok(tenon_key_guard_leave(&guard));
  assert_tangent(inferred, NULL, 0);
  assert_ok(tenon_dual_leave(level));
  // Tangents end with their level, and a later level does not revive them.
  enter();
  assert_tangent(product, NULL, 0);
  tenon_tensor* later = binary("aten::mul.Tensor", x, product);
  assert_tangent(later, NULL, 0);
  assert_ok(tenon_dual_leave(level));
  RELEASE(later, inferred, quiet, detached, sum, square, product, w, x);
  assert_nothing_left(before);
}

static void leaving_frees_tangents(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3};
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, kOnes, 2);
  tenon_tensor* y = unary("aten::exp", x);
  assert_ok(tenon_dual_leave(level));
  // x is a view whose base has no other owner.
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_TENSOR),
                   before.of[TENON_HANDLE_TENSOR] + 3);
  RELEASE(y, x);
  assert_nothing_left(before);
}

static void views_share_tangents(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, t[2] = {1, 10}, zeros[2] = {0, 0};
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, t, 2);
  tenon_tensor* second = select_of(x, 1);
  const float ten[1] = {10};
  assert_tangent(second, ten, 1);
  // A write through the view is a write into the tangent.
  tenon_tensor_release(binary("aten::mul_.Tensor", second, second));
  const float after[2] = {1, 60};
  assert_tangent(x, after, 2);
  // A plain buffer becomes dual, together with views made before and after.
  tenon_tensor* buffer = vector_of(zeros, 2);
  tenon_tensor *first = select_of(buffer, 0), *sibling = select_of(buffer, 0);
  assert_tangent(first, NULL, 0);
  tenon_tensor_release(binary("aten::copy_", first, second));
  const float whole[2] = {60, 0}, sixty[1] = {60}, zero[1] = {0};
  assert_tangent(buffer, whole, 2);
  assert_tangent(sibling, sixty, 1);
  tenon_tensor* rest = select_of(buffer, 1);
  assert_tangent(rest, zero, 1);
  // Writing plain numbers over it removes the tangent.
  tenon_tensor_release(unary("aten::zero_", sibling));
  assert_tangent(buffer, zeros, 2);
  assert_ok(tenon_dual_leave(level));
  RELEASE(rest, sibling, first, buffer, second, x);
  assert_nothing_left(before);
}

static void writes_in_place_write_tangents(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, b[2] = {5, 7}, t[2] = {1, 10};
  const int64_t level = enter();
  tenon_tensor *x = dual_of(a, t, 2), *w = dual_of(b, kOnes, 2), *plain = vector_of(b, 2);
  tenon_tensor* held = tangent_of(x);
  tenon_tensor_release(binary("aten::mul_.Tensor", x, w));
  const float product[2] = {7, 73};
  assert_tangent(x, product, 2);
  assert_elements(held, product, 2);
  tenon_tensor_release(binary("aten::mul_.Tensor", plain, w));
  const float of_plain[2] = {5, 7};
  assert_tangent(plain, of_plain, 2);
  assert_tangent(w, kOnes, 2);
  assert_ok(tenon_dual_leave(level));
  RELEASE(held, plain, w, x);
  assert_nothing_left(before);
}

static tenon_tensor* leaf_of(const float* elements, int64_t count) {
  tenon_tensor* leaf = vector_of(elements, count);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

static tenon_tensor* gradient_of(tenon_tensor* output, tenon_tensor* input, uint32_t flags) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = flags;
  options.outputs = &output;
  options.noutputs = 1;
  options.inputs = &input;
  options.ninputs = 1;
  tenon_tensor* grad = NULL;
  assert_ok(tenon_grad(&options, &grad));
  return grad;
}

// For x^3 along t, the tangent of the gradient and the gradient of the tangent are both 6 x t.
static void both_modes_mix(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, t[2] = {1, 10}, curves[2] = {12, 180}, slopes[2] = {12, 270};
  const int64_t level = enter();
  tenon_tensor *x = leaf_of(a, 2), *direction = vector_of(t, 2), *dual = NULL;
  assert_ok(tenon_dual_make(level, x, direction, &dual));
  tenon_tensor* square = binary("aten::mul.Tensor", dual, dual);
  tenon_tensor* cube = binary("aten::mul.Tensor", square, dual);
  tenon_tensor* sum = unary("aten::sum", cube);
  tenon_tensor* tangent = tangent_of(cube);
  assert_elements(tangent, slopes, 2);
  tenon_tensor* total = unary("aten::sum", tangent);
  tenon_tensor* reverse = gradient_of(total, x, TENON_BACKWARD_KEEP_GRAPH);
  assert_elements(reverse, curves, 2);
  tenon_tensor* slope = gradient_of(sum, x, 0);
  assert_tangent(slope, curves, 2);
  assert_ok(tenon_dual_leave(level));
  RELEASE(slope, reverse, total, tangent, sum, cube, square, dual, direction, x);
  assert_nothing_left(before);
}

/* ---- Custom operators ------------------------------------------------------------------------ */

static tenon_status cube_kernel(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  tenon_tensor* x = stack->args[0].as.tensor;
  tenon_tensor* square = binary("aten::mul.Tensor", x, x);
  stack->rets[0] = tenon_value_give(tenon_value_of_tensor(binary("aten::mul.Tensor", square, x)));
  tenon_tensor_release(square);
  return TENON_OK;
}

// Computes 3 x^2 by operators, or by code that is not recorded.
static tenon_status cube_backward(const tenon_backward_call* call) {
  tenon_tensor* x = call->saved[0].as.tensor;
  tenon_key_guard guard;
  if (call->ctx != NULL) assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard));
  tenon_tensor* square = binary("aten::mul.Tensor", x, x);
  tenon_tensor* slope = binary("aten::mul.Tensor", call->grads[0], square);
  const tenon_value args[2] = {tenon_value_of_tensor(slope), tenon_value_of_int(3)};
  call->out_grads[0] = apply("aten::mul.Scalar", args, 2);
  if (call->ctx != NULL) assert_ok(tenon_key_guard_leave(&guard));
  RELEASE(slope, square);
  return TENON_OK;
}

static tenon_library* library_with_cube(void) {
  tenon_library* library = NULL;
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.language = TENON_LANGUAGE_C;
  kernel.boxed = &cube_kernel;
  kernel.name = "cube_kernel";
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, "forward_ad_test", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "cube(Tensor self) -> Tensor", NULL, NULL));
  assert_ok(
      tenon_library_impl(library, "cube", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  return library;
}

static tenon_formula cube_formula(void* ctx) {
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.language = TENON_LANGUAGE_C;
  formula.backward = &cube_backward;
  formula.saves = "self";
  formula.ctx = ctx;
  return formula;
}

static void tangents_of_a_function_are_derived(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, t[2] = {1, 10}, expected[2] = {12, 270};
  tenon_library* library = library_with_cube();
  const tenon_formula formula = cube_formula(NULL);
  assert_ok(tenon_library_register_autograd(library, "cube", &formula, NULL));
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, t, 2);
  tenon_tensor* y = unary("forward_ad_test::cube", x);
  assert_tangent(y, expected, 2);
  assert_false(tenon_tensor_requires_grad(y));
  tenon_tensor* tangent = tangent_of(y);
  assert_false(tenon_tensor_requires_grad(tangent));
  assert_ok(tenon_dual_leave(level));
  RELEASE(tangent, y, x);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void no_tangent_is_lost(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3};
  tenon_library* library = library_with_cube();
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, kOnes, 2);
  tenon_value arg = tenon_value_of_tensor(x), ret = tenon_value_of_none();
  const tenon_op* cube = find("forward_ad_test::cube");
  assert_error(tenon_op_call_named(cube, &arg, 1, NULL, NULL, 0, &ret, 1),
               TENON_ERROR_NOT_SUPPORTED, "forward_ad_test::cube: operator must have a tangent");
  // A formula that has no derivative is detected.
  int any;
  const tenon_formula formula = cube_formula(&any);
  assert_ok(tenon_library_register_autograd(library, "cube", &formula, NULL));
  assert_error(tenon_op_call_named(cube, &arg, 1, NULL, NULL, 0, &ret, 1),
               TENON_ERROR_NOT_SUPPORTED, "CubeBackward0");
  // A result written to the caller's tensor cannot have a tangent.
  tenon_tensor* out = vector_of(a, 2);
  const tenon_value pair[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x)};
  const tenon_value named = tenon_value_of_tensor(out);
  const char* name = "out";
  assert_error(tenon_op_call_named(find("aten::mul.out"), pair, 2, &name, &named, 1, &ret, 1),
               TENON_ERROR_STATE, "out");
  assert_ok(tenon_dual_leave(level));
  RELEASE(out, x);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void texts_are_checked(void** state) {
  (void)state;
  tenon_library* library = library_with_cube();
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.language = TENON_LANGUAGE_C;
  formula.gradient = "self: grad * 3 * self * self";
  formula.tangent = "self_t * ";
  assert_error(tenon_library_register_autograd(library, "cube", &formula, NULL), TENON_ERROR_PARSE,
               "tangent text");
  formula.tangent = "self_t * slef";
  assert_ok(tenon_library_register_autograd(library, "cube", &formula, NULL));
  const float a[2] = {2, 3};
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, kOnes, 2);
  tenon_value arg = tenon_value_of_tensor(x), ret = tenon_value_of_none();
  assert_error(tenon_op_call_named(find("forward_ad_test::cube"), &arg, 1, NULL, NULL, 0, &ret, 1),
               TENON_ERROR_INVALID_ARGUMENT, "slef");
  assert_ok(tenon_dual_leave(level));
  tenon_tensor_release(x);
  tenon_library_close(library);
  tenon_library_release(library);
}

/* ---- Functions with a jvp ------------------------------------------------------------------- */

static int forward_fails;

// Computes the square and saves its argument.
static tenon_status square_forward(void* ctx, tenon_function_context* context, tenon_stack* stack) {
  (void)ctx;
  if (forward_fails) return tenon_error_raise(TENON_ERROR_RUNTIME, "forward fails");
  tenon_tensor* x = stack->args[0].as.tensor;
  assert_int_equal(tenon_dual_level(), -1);  // nothing is followed inside
  assert_ok(tenon_function_context_save(context, stack->args, 1));
  stack->rets[0] = tenon_value_give(tenon_value_of_tensor(binary("aten::mul.Tensor", x, x)));
  return TENON_OK;
}

static tenon_status square_backward(const tenon_backward_call* call) {
  tenon_tensor* slope = binary("aten::mul.Tensor", call->grads[0], call->saved[0].as.tensor);
  const tenon_value args[2] = {tenon_value_of_tensor(slope), tenon_value_of_int(2)};
  call->out_grads[0] = apply("aten::mul.Scalar", args, 2);
  tenon_tensor_release(slope);
  return TENON_OK;
}

// Returns 5 x t, a value that only this function produces.
static tenon_status square_jvp(void* ctx, tenon_function_context* context,
                               const tenon_value* tangents, tenon_value* out_tangents) {
  (void)ctx;
  tenon_value x;
  assert_int_equal(tenon_function_context_input_count(context), 1);
  assert_int_equal(tenon_function_context_output_count(context), 1);
  assert_ok(tenon_function_context_copy_saved(context, 0, &x));
  tenon_tensor* product = binary("aten::mul.Tensor", x.as.tensor, tangents[0].as.tensor);
  const tenon_value args[2] = {tenon_value_of_tensor(product), tenon_value_of_int(5)};
  out_tangents[0] = tenon_value_give(tenon_value_of_tensor(apply("aten::mul.Scalar", args, 2)));
  tenon_tensor_release(product);
  tenon_value_clear(&x);
  return TENON_OK;
}

static tenon_object* square_function(tenon_jvp_fn jvp) {
  tenon_function_type type;
  memset(&type, 0, sizeof type);
  type.struct_size = sizeof type;
  type.language = TENON_LANGUAGE_C;
  type.name = "Square";
  type.forward = &square_forward;
  type.backward = &square_backward;
  type.jvp = jvp;
  tenon_object* function = NULL;
  assert_ok(tenon_function_new(&type, &function));
  return function;
}

static void functions_use_their_jvp(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, t[2] = {1, 10}, expected[2] = {10, 150};
  tenon_object* function = square_function(&square_jvp);
  const int64_t level = enter();
  tenon_tensor *x = leaf_of(a, 2), *direction = vector_of(t, 2), *dual = NULL;
  assert_ok(tenon_dual_make(level, x, direction, &dual));
  tenon_value arg = tenon_value_of_tensor(dual), result;
  assert_ok(tenon_function_apply(function, &arg, 1, &result));
  assert_tangent(result.as.tensor, expected, 2);
  // The tangent is recorded: the derivative of 5 x t with respect to x, weighted by t, is 5 t t.
  tenon_tensor* tangent = tangent_of(result.as.tensor);
  tenon_tensor* sum = unary("aten::sum", tangent);
  const float by_x[2] = {5, 50};
  tenon_tensor* slope = gradient_of(sum, x, 0);
  assert_elements(slope, by_x, 2);
  RELEASE(slope, sum, tangent);
  tenon_value_clear(&result);
  // Untracked, too.
  tenon_tensor* plain = dual_of(a, t, 2);
  arg = tenon_value_of_tensor(plain);
  assert_ok(tenon_function_apply(function, &arg, 1, &result));
  assert_tangent(result.as.tensor, expected, 2);
  tenon_value_clear(&result);
  // After any failure, tangents work again.
  forward_fails = 1;
  assert_error(tenon_function_apply(function, &arg, 1, &result), TENON_ERROR_RUNTIME, "fails");
  forward_fails = 0;
  tenon_object* without = square_function(NULL);
  assert_error(tenon_function_apply(without, &arg, 1, &result), TENON_ERROR_NOT_SUPPORTED, "jvp");
  tenon_function_context* context = NULL;
  assert_ok(tenon_function_begin(function, &plain, 1, &context));
  assert_int_equal(tenon_function_context_input_count(context), 1);
  assert_int_equal(tenon_function_context_output_count(context), 0);  // not yet known
  assert_int_equal(tenon_dual_level(), -1);
  tenon_function_cancel(context);
  assert_int_equal(tenon_dual_level(), level);
  assert_ok(tenon_dual_leave(level));
  RELEASE(plain, dual, direction, x);
  tenon_object_release(without);
  tenon_object_release(function);
  assert_nothing_left(before);
}

static tenon_status cube_setup(void* ctx, tenon_function_context* context,
                               const tenon_stack* call) {
  (void)ctx;
  return tenon_function_context_save(context, call->args, 1);
}

static void operators_use_their_jvp(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, t[2] = {1, 10}, expected[2] = {10, 150};
  tenon_library* library = library_with_cube();
  tenon_formula formula = cube_formula(NULL);
  formula.saves = NULL;
  formula.setup = &cube_setup;
  formula.jvp = &square_jvp;
  assert_ok(tenon_library_register_autograd(library, "cube", &formula, NULL));
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, t, 2);
  tenon_tensor* y = unary("forward_ad_test::cube", x);
  assert_tangent(y, expected, 2);
  assert_ok(tenon_dual_leave(level));
  RELEASE(y, x);
  tenon_library_close(library);
  tenon_library_release(library);
  assert_nothing_left(before);
}

/* ---- Threads ------------------------------------------------------------------------------- */

// Enters a separate level on shared tensors repeatedly; then the thread exits inside a level.
static void* run_level(void* shared) {
  tenon_tensor* x = shared;
  const float a[2] = {2, 3}, t[2] = {1, 10}, expected[2] = {2, 30};
  for (int round = 0; round < 200; ++round) {
    const int64_t level = enter();
    assert_tangent(x, NULL, 0);
    tenon_tensor* mine = dual_of(a, t, 2);
    tenon_tensor* y = binary("aten::mul.Tensor", mine, x);
    assert_tangent(y, expected, 2);
    RELEASE(y, mine);
    assert_ok(tenon_dual_leave(level));
  }
  enter();
  tenon_tensor* mine = dual_of(a, t, 2);
  tenon_tensor* y = binary("aten::mul.Tensor", mine, x);
  RELEASE(y, mine);
  return NULL;
}

static void levels_are_their_threads(void** state) {
  (void)state;
  const live_counts before = count_live();
  enum { kThreads = 4 };
  const float a[2] = {2, 3};
  const int64_t level = enter();
  tenon_tensor* x = dual_of(a, kOnes, 2);
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, &run_level, x), 0);
  for (int i = 0; i < kThreads; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_tangent(x, kOnes, 2);
  assert_ok(tenon_dual_leave(level));
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// A thread state carried to another thread, and what that thread sees of the level.
typedef struct carried {
  tenon_thread_state* state;
  tenon_tensor *dual, *result;
} carried;

static void* works_for_another(void* shared) {
  carried* work = shared;
  const float plain[2] = {3, 7}, slope[2] = {3, 70};
  assert_int_equal(tenon_dual_level(), -1);
  tenon_thread_state* previous = NULL;
  assert_ok(tenon_thread_state_enter(work->state, &previous));
  assert_int_equal(tenon_dual_level(), 0);
  assert_tangent(work->dual, kOnes, 2);
  tenon_tensor *weight = vector_of(plain, 2), *mine = dual_of(plain, slope, 2);
  work->result = binary("aten::mul.Tensor", work->dual, weight);
  assert_tangent(mine, slope, 2);
  int64_t level = 0;
  assert_error(tenon_dual_enter(&level), TENON_ERROR_STATE, "nested");
  assert_error(tenon_dual_leave(0), TENON_ERROR_STATE, "left where it was entered");
  RELEASE(weight, mine);
  assert_ok(tenon_thread_state_leave(previous));
  assert_int_equal(tenon_dual_level(), -1);
  return NULL;
}

static void run_on_thread(void* (*work)(void*), void* shared) {
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, work, shared), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
}

static void thread_states_carry_levels(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {2, 3}, weight[2] = {3, 7};
  const int64_t level = enter();
  carried work = {NULL, dual_of(a, kOnes, 2), NULL};
  assert_ok(tenon_thread_state_capture(&work.state));
  run_on_thread(&works_for_another, &work);
  assert_tangent(work.result, weight, 2);  // it has come back
  assert_ok(tenon_dual_leave(level));
  RELEASE(work.result, work.dual);
  tenon_thread_state_release(work.state);
  assert_nothing_left(before);
}

static void* finds_no_level(void* shared) {
  tenon_thread_state* previous = NULL;
  assert_ok(tenon_thread_state_enter(shared, &previous));
  assert_int_equal(tenon_dual_level(), -1);
  const int64_t mine = enter();
  tenon_tensor* x = dual_of(kOnes, kOnes, 2);
  assert_tangent(x, kOnes, 2);
  tenon_tensor_release(x);
  assert_ok(tenon_dual_leave(mine));
  assert_ok(tenon_thread_state_leave(previous));
  return NULL;
}

static void levels_that_were_left_are_not_carried(void** state) {
  (void)state;
  const live_counts before = count_live();
  const int64_t level = enter();
  tenon_thread_state *inside = NULL, *paused = NULL;
  assert_ok(tenon_thread_state_capture(&inside));
  assert_ok(tenon_dual_leave(level));
  run_on_thread(&finds_no_level, inside);
  // A thread's own level is suspended while the thread works in a state without one.
  assert_ok(tenon_thread_state_capture(&paused));
  tenon_tensor* x = NULL;
  tenon_thread_state* previous = NULL;
  const int64_t again = enter();
  x = dual_of(kOnes, kOnes, 2);
  assert_ok(tenon_thread_state_enter(paused, &previous));
  assert_int_equal(tenon_dual_level(), -1);
  const int64_t inner = enter();
  tenon_tensor* lost = dual_of(kOnes, kOnes, 2);
  assert_int_equal(inner, tenon_dual_level());
  assert_ok(tenon_thread_state_leave(previous));  // ends the level that was opened inside
  assert_tangent(lost, NULL, 0);
  assert_tangent(x, kOnes, 2);
  assert_ok(tenon_dual_leave(again));
  RELEASE(x, lost);
  tenon_thread_state_release(inside);
  tenon_thread_state_release(paused);
  assert_nothing_left(before);
}

// Other threads keep computing under a level while its own thread leaves it: only their tangents
// end.
static void* goes_on(void* shared) {
  tenon_thread_state* previous = NULL;
  assert_ok(tenon_thread_state_enter(shared, &previous));
  tenon_tensor *x = vector_of(kOnes, 2), *t = vector_of(kOnes, 2);
  for (int i = 0; i < 500; ++i) {
    tenon_tensor *dual = NULL, *product;
    const tenon_status status = tenon_dual_make(0, x, t, &dual);
    if (status != TENON_OK) {
      assert_error(status, TENON_ERROR_STATE, "forward AD requires a level to be entered");
      break;
    }
    product = binary("aten::mul.Tensor", dual, dual);
    RELEASE(product, dual);
  }
  RELEASE(x, t);
  assert_ok(tenon_thread_state_leave(previous));
  return NULL;
}

static void levels_end_while_others_use_them(void** state) {
  (void)state;
  const live_counts before = count_live();
  for (int round = 0; round < 20; ++round) {
    enum { kThreads = 3 };
    const int64_t level = enter();
    tenon_thread_state* inside = NULL;
    assert_ok(tenon_thread_state_capture(&inside));
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i)
      assert_int_equal(pthread_create(&threads[i], NULL, &goes_on, inside), 0);
    assert_ok(tenon_dual_leave(level));
    for (int i = 0; i < kThreads; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
    tenon_thread_state_release(inside);
  }
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_do_not_nest),
      cmocka_unit_test(duals_are_checked),
      cmocka_unit_test(calls_carry_tangents),
      cmocka_unit_test(leaving_frees_tangents),
      cmocka_unit_test(views_share_tangents),
      cmocka_unit_test(writes_in_place_write_tangents),
      cmocka_unit_test(both_modes_mix),
      cmocka_unit_test(tangents_of_a_function_are_derived),
      cmocka_unit_test(no_tangent_is_lost),
      cmocka_unit_test(texts_are_checked),
      cmocka_unit_test(functions_use_their_jvp),
      cmocka_unit_test(operators_use_their_jvp),
      cmocka_unit_test(levels_are_their_threads),
      cmocka_unit_test(thread_states_carry_levels),
      cmocka_unit_test(levels_that_were_left_are_not_carried),
      cmocka_unit_test(levels_end_while_others_use_them),
  };
  // Load the shipped operators before counting: they stay registered, which is no leak.
  (void)find("aten::mul.Tensor");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
