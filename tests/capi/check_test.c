// SPDX-License-Identifier: Apache-2.0
// Gradient checks from C: correct gradients pass, each mistake is found and named, and nothing is
// leaked or changed.
#include "support.h"

#include <math.h>

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

// Makes a tensor of a dtype from doubles, two per element if the dtype is complex.
static tenon_tensor* tensor_of(tenon_dtype dtype, const int64_t* sizes, int32_t ndim,
                               const double* numbers, int64_t count) {
  tenon_tensor* tensor = NULL;
  void* data = NULL;
  assert_ok(tenon_tensor_new(dtype, NULL, ndim, sizes, NULL, &tensor));
  assert_ok(tenon_tensor_data(tensor, &data));
  memcpy(data, numbers, (size_t)count * sizeof *numbers);
  return tensor;
}
static tenon_tensor* leaf_of(const double* numbers, int64_t count) {
  tenon_tensor* leaf = tensor_of(TENON_DTYPE_F64, &count, 1, numbers, count);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

static void give(tenon_stack* stack, tenon_tensor* result) {
  stack->rets[0] = tenon_value_of_tensor(result);
  stack->rets[0].flags = TENON_VALUE_OWNED;
}

// ---- Functions ----------------------------------------------------------------------------------

static tenon_status product(void* ctx, tenon_stack* stack) {
  if (ctx != NULL) ++*(int*)ctx;
  give(stack, binary("aten::mul.Tensor", stack->args[0].as.tensor, stack->args[1].as.tensor));
  return TENON_OK;
}

// x * x, with only one of the two factors differentiated
static tenon_status half_square(void* ctx, tenon_stack* stack) {
  (void)ctx;
  tenon_tensor* apart = unary("aten::detach", stack->args[0].as.tensor);
  give(stack, binary("aten::mul.Tensor", stack->args[0].as.tensor, apart));
  tenon_tensor_release(apart);
  return TENON_OK;
}

static tenon_status constant(void* ctx, tenon_stack* stack) {
  (void)ctx;
  tenon_tensor* apart = unary("aten::detach", stack->args[0].as.tensor);
  give(stack, unary("aten::zeros_like", apart));
  tenon_tensor_release(apart);
  return TENON_OK;
}

static tenon_status detached(void* ctx, tenon_stack* stack) {
  (void)ctx;
  give(stack, unary("aten::detach", stack->args[0].as.tensor));
  return TENON_OK;
}

// Calls the operator named by ctx with the first input.
static tenon_status operator_of(void* ctx, tenon_stack* stack) {
  give(stack, unary(ctx, stack->args[0].as.tensor));
  return TENON_OK;
}

// Returns a list of two: the product, and the sum of the first input.
static tenon_status several(void* ctx, tenon_stack* stack) {
  (void)ctx;
  tenon_value values[3] = {tenon_value_of_none(), tenon_value_of_int(3), tenon_value_of_none()};
  tenon_tensor* first =
      binary("aten::mul.Tensor", stack->args[0].as.tensor, stack->args[1].as.tensor);
  tenon_tensor* second = unary("aten::sum", stack->args[0].as.tensor);
  values[0] = tenon_value_of_tensor(first);
  values[2] = tenon_value_of_tensor(second);
  const tenon_status status = tenon_value_new_list(TENON_TAG_TUPLE, values, 3, &stack->rets[0]);
  tenon_tensor_release(first);
  tenon_tensor_release(second);
  return status;
}

static tenon_status fails(void* ctx, tenon_stack* stack) {
  (void)stack;
  return tenon_error_raise(TENON_ERROR_RUNTIME, ctx);
}

static tenon_status gives_number(void* ctx, tenon_stack* stack) {
  (void)ctx;
  stack->rets[0] = tenon_value_of_int(7);
  return TENON_OK;
}

// Returns one output at first, and two in later calls.
static tenon_status grows(void* ctx, tenon_stack* stack) {
  return ++*(int*)ctx < 3 ? product(NULL, stack) : several(NULL, stack);
}

// ---- Checking -----------------------------------------------------------------------------------

static tenon_gradcheck_options usual(uint32_t more) {
  tenon_gradcheck_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = TENON_GRADCHECK_BACKWARD | TENON_GRADCHECK_UNDEFINED | more;
  options.eps = 1e-6;
  options.atol = 1e-5;
  options.rtol = 1e-3;
  return options;
}

// Checks that a report contains `texts`, or that there is no report if `texts` is NULL.
static void assert_report(tenon_buffer* report, const char* const* texts) {
  if (texts == NULL) {
    if (report != NULL) fail_msg("%s", (const char*)tenon_buffer_data(report));
    return;
  }
  assert_non_null(report);
  const char* text = tenon_buffer_data(report);
  assert_int_equal(tenon_buffer_size(report), strlen(text));
  for (; *texts != NULL; ++texts) {
    if (strstr(text, *texts) == NULL) fail_msg("\"%s\" must be in the report:\n%s", *texts, text);
  }
  tenon_buffer_release(report);
}

#define TEXTS(...) ((const char* const[]){__VA_ARGS__, NULL})

static void first_order(tenon_callable function, void* ctx, tenon_tensor** inputs, int64_t ninputs,
                        uint32_t flags, const char* const* texts) {
  tenon_value values[3];
  for (int64_t i = 0; i < ninputs; ++i) values[i] = tenon_value_of_tensor(inputs[i]);
  const tenon_gradcheck_options options = usual(flags);
  tenon_buffer* report = NULL;
  assert_ok(tenon_gradcheck(function, ctx, values, ninputs, &options, &report));
  assert_report(report, texts);
}
static void second_order(tenon_callable function, void* ctx, tenon_tensor** inputs, int64_t ninputs,
                         uint32_t flags, const char* const* texts) {
  tenon_value values[3];
  for (int64_t i = 0; i < ninputs; ++i) values[i] = tenon_value_of_tensor(inputs[i]);
  const tenon_gradcheck_options options = usual(flags);
  tenon_buffer* report = NULL;
  assert_ok(tenon_gradgradcheck(function, ctx, values, ninputs, NULL, 0, &options, &report));
  assert_report(report, texts);
}

static const double kNumbers[6] = {0.5, -1.25, 2, 0.75, -0.5, 1.5};

static void right_gradients_pass(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* inputs[2] = {leaf_of(kNumbers, 3), leaf_of(kNumbers + 3, 3)};
  const uint32_t all = TENON_GRADCHECK_BATCHED | TENON_GRADCHECK_DTYPES;
  for (uint32_t flags = 0; flags <= TENON_GRADCHECK_FAST; flags += TENON_GRADCHECK_FAST) {
    first_order(&product, NULL, inputs, 2, flags, NULL);
    first_order(&product, NULL, inputs, 2, flags | all, NULL);
    first_order(&several, NULL, inputs, 2, flags | all, NULL);
    first_order(&operator_of, "aten::exp", inputs, 1, flags, NULL);
    first_order(&operator_of, "aten::alias", inputs, 1, flags, NULL);
    first_order(&constant, NULL, inputs, 1, flags, NULL);
    second_order(&product, NULL, inputs, 2, flags | all, NULL);
    second_order(&several, NULL, inputs, 2, flags | TENON_GRADCHECK_STRIDED_GRADS, NULL);
    second_order(&operator_of, "aten::sin", inputs, 1, flags, NULL);
    second_order(&constant, NULL, inputs, 1, flags, NULL);
  }
  // NULL options mean the defaults.
  tenon_value values[2] = {tenon_value_of_tensor(inputs[0]), tenon_value_of_tensor(inputs[1])};
  tenon_buffer* report = NULL;
  assert_ok(tenon_gradcheck(&product, NULL, values, 2, NULL, &report));
  assert_null(report);
  for (int i = 0; i < 2; ++i) tenon_tensor_release(inputs[i]);
  assert_nothing_left(before);
}

static void forward_mode_is_compared(void** state) {
  (void)state;
  const live_counts before = count_live();
  const int64_t sizes[1] = {2};
  tenon_tensor* inputs[2] = {leaf_of(kNumbers, 3), leaf_of(kNumbers + 3, 3)};
  tenon_tensor* z = tensor_of(TENON_DTYPE_C128, sizes, 1, kNumbers, 4);
  assert_ok(tenon_tensor_set_requires_grad(z, 1));
  const uint32_t forward = TENON_GRADCHECK_FORWARD | TENON_GRADCHECK_BATCHED_FORWARD;
  for (uint32_t fast = 0; fast <= TENON_GRADCHECK_FAST; fast += TENON_GRADCHECK_FAST) {
    first_order(&product, NULL, inputs, 2, fast | forward, NULL);
    first_order(&several, NULL, inputs, 2, fast | forward, NULL);
    first_order(&operator_of, "aten::exp", &z, 1, fast | forward, NULL);
    second_order(&product, NULL, inputs, 2, fast | forward, NULL);
    second_order(&operator_of, "aten::tanh", &z, 1, fast | forward, NULL);
  }
  // Alone, without backward passes.
  tenon_gradcheck_options options = usual(0);
  options.flags = TENON_GRADCHECK_FORWARD;
  const tenon_value value = tenon_value_of_tensor(inputs[0]);
  tenon_buffer* report = NULL;
  assert_ok(tenon_gradcheck(&operator_of, "aten::sin", &value, 1, &options, &report));
  assert_report(report, NULL);
  // detach() also removes the tangent.
  assert_ok(tenon_gradcheck(&half_square, NULL, &value, 1, &options, &report));
  assert_report(report, TEXTS("Jacobian mismatch", "2 in forward mode", "half of what"));
  options.flags |= TENON_GRADCHECK_FAST;
  assert_ok(tenon_gradcheck(&half_square, NULL, &value, 1, &options, &report));
  assert_report(report, TEXTS("2 in forward mode"));
  int64_t level = -1;
  assert_ok(tenon_dual_enter(&level));
  assert_error(tenon_gradcheck(&half_square, NULL, &value, 1, &options, &report), TENON_ERROR_STATE,
               "level");
  assert_ok(tenon_dual_leave(level));
  tenon_tensor_release(z);
  for (int i = 0; i < 2; ++i) tenon_tensor_release(inputs[i]);
  assert_nothing_left(before);
}

static void inputs_stay_as_they_were(void** state) {
  (void)state;
  tenon_tensor* inputs[2] = {leaf_of(kNumbers, 3), leaf_of(kNumbers + 3, 3)};
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(inputs[0], &info));
  ((double*)info.data)[1] = -0.0;
  // A graph recorded before the check still runs backward, because the check left versions
  // unchanged.
  tenon_tensor* older = binary("aten::mul.Tensor", inputs[0], inputs[1]);
  const int64_t version = tenon_tensor_version(inputs[0]);
  first_order(&product, NULL, inputs, 2, 0, NULL);
  assert_int_equal(tenon_tensor_version(inputs[0]), version);
  const double expected[3] = {0.5, -0.0, 2};
  assert_memory_equal(info.data, expected, sizeof expected);
  tenon_tensor* sum = unary("aten::sum", older);
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.outputs = &sum;
  options.noutputs = 1;
  assert_ok(tenon_backward(&options));
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(inputs[1], &grad));
  assert_non_null(grad);
  tenon_tensor_release(grad);
  tenon_tensor_release(sum);
  tenon_tensor_release(older);
  for (int i = 0; i < 2; ++i) tenon_tensor_release(inputs[i]);
}

static void wrong_gradients_are_found(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* x = leaf_of(kNumbers, 3);
  const char* const* texts =
      TEXTS("Jacobian mismatch for output 0 with respect to input 0", "element [2]",
            "is 4 by differences, 2 in backward mode", "3 of 9 entries differ", "half of what",
            "[1, 0, 0]", "[0, 0, 2]");
  first_order(&half_square, NULL, &x, 1, 0, texts);
  first_order(&half_square, NULL, &x, 1, TENON_GRADCHECK_FAST, texts);
  first_order(&detached, NULL, &x, 1, 0,
              TEXTS("Jacobian mismatch", "no output requires grad", "must be zero, got 1"));
  tenon_tensor* pair[2] = {x, leaf_of(kNumbers + 3, 3)};
  first_order(&several, NULL, pair, 2, 0, NULL);
  tenon_tensor_release(pair[1]);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void views_and_inputs_without_gradient(void** state) {
  (void)state;
  const live_counts before = count_live();
  const int64_t sizes[2] = {2, 3};
  tenon_tensor* base = tensor_of(TENON_DTYPE_F64, sizes, 2, kNumbers, 6);
  tenon_tensor* turned = unary("aten::t", base);
  tenon_tensor* x = unary("aten::detach", turned);
  assert_ok(tenon_tensor_set_requires_grad(x, 1));
  first_order(&operator_of, "aten::sin", &x, 1, 0, NULL);
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(base, &info));
  assert_memory_equal(info.data, kNumbers, sizeof kNumbers);
  // The second argument needs no gradient.
  int calls = 0;
  tenon_tensor* apart = unary("aten::clone", turned);
  tenon_tensor* inputs[2] = {x, apart};
  first_order(&product, &calls, inputs, 2, 0, NULL);
  // One call to learn the outputs, one for the pass, and two for each of six elements.
  assert_int_equal(calls, 14);
  tenon_tensor_release(apart);
  tenon_tensor_release(x);
  tenon_tensor_release(turned);
  tenon_tensor_release(base);
  assert_nothing_left(before);
}

static void complex_gradients(void** state) {
  (void)state;
  const live_counts before = count_live();
  const int64_t sizes[1] = {3};
  tenon_tensor* z = tensor_of(TENON_DTYPE_C128, sizes, 1, kNumbers, 6);
  assert_ok(tenon_tensor_set_requires_grad(z, 1));
  tenon_tensor* x = leaf_of(kNumbers, 3);
  for (uint32_t flags = 0; flags <= TENON_GRADCHECK_FAST; flags += TENON_GRADCHECK_FAST) {
    first_order(&operator_of, "aten::exp", &z, 1, flags, NULL);
    first_order(&operator_of, "aten::conj_physical", &z, 1, flags, NULL);
    first_order(&operator_of, "aten::abs", &z, 1, flags, NULL);  // to real numbers
    tenon_tensor* mixed[2] = {x, z};
    first_order(&product, NULL, mixed, 2, flags, NULL);
    second_order(&product, NULL, mixed, 2, flags, NULL);
    second_order(&operator_of, "aten::tanh", &z, 1, flags, NULL);
    first_order(
        &half_square, NULL, &z, 1, flags,
        TEXTS("part of element [", "half of what", "[0.5+1.25i, 0, 0]", "[-1.25+0.5i, 0, 0]"));
  }
  tenon_tensor_release(x);
  tenon_tensor_release(z);
  assert_nothing_left(before);
}

static void empty_inputs_and_outputs(void** state) {
  (void)state;
  tenon_tensor* empty = leaf_of(kNumbers, 0);
  tenon_tensor* some = leaf_of(kNumbers, 1);
  tenon_tensor* inputs[2] = {empty, some};
  for (uint32_t flags = 0; flags <= TENON_GRADCHECK_FAST; flags += TENON_GRADCHECK_FAST) {
    first_order(&product, NULL, inputs, 2, flags, NULL);
    second_order(&product, NULL, inputs, 2, flags, NULL);
    first_order(&several, NULL, inputs, 2, flags, NULL);
  }
  tenon_tensor_release(some);
  tenon_tensor_release(empty);
}

// ---- Formulas with mistakes ---------------------------------------------------------------------

typedef enum mistake {
  kDouble,
  kNegative,
  kThird,
  kZero,
  kTransposed,
  kPartly,
  kConjugate,
  kIgnores,
  kChanges,
  kSquares,
  kUndefined
} mistake;

static int runs;

// A gradient formula of the identity with a mistake, which the formula's context selects.
static tenon_status wrong_backward(const tenon_backward_call* call) {
  tenon_tensor* grad = call->grads[0];
  const mistake which = *(const mistake*)call->ctx;
  const double factors[3] = {2, -1, 1.0 / 3};
  switch (which) {
    case kDouble:
    case kNegative:
    case kThird: {
      const tenon_value args[2] = {tenon_value_of_tensor(grad),
                                   tenon_value_of_float(factors[which])};
      call->out_grads[0] = apply("aten::mul.Scalar", args, 2);
      break;
    }
    case kZero:
      call->out_grads[0] = unary("aten::zeros_like", grad);
      break;
    case kTransposed: {
      tenon_tensor* turned = unary("aten::t", grad);
      call->out_grads[0] = unary("aten::clone", turned);
      tenon_tensor_release(turned);
      break;
    }
    case kPartly: {
      call->out_grads[0] = unary("aten::clone", grad);
      tenon_tensor_info info;
      assert_ok(tenon_tensor_describe(call->out_grads[0], &info));
      memset(info.data, 0, 8);
      break;
    }
    case kConjugate: {
      // Correct for i x, but not for the identity.
      const tenon_value args[2] = {tenon_value_of_tensor(grad), tenon_value_of_complex(0, 1)};
      call->out_grads[0] = apply("aten::mul.Scalar", args, 2);
      break;
    }
    case kIgnores:
      call->out_grads[0] = unary("aten::ones_like", grad);
      break;
    case kChanges: {
      const tenon_value args[2] = {tenon_value_of_tensor(grad),
                                   tenon_value_of_float(1 + 1e-9 * ++runs)};
      call->out_grads[0] = apply("aten::mul.Scalar", args, 2);
      break;
    }
    case kSquares:
      call->out_grads[0] = binary("aten::mul.Tensor", grad, grad);
      break;
    case kUndefined:
      break;
  }
  return TENON_OK;
}

static tenon_status identity(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)op, (void)keys;
  if (*(const mistake*)ctx == kConjugate) {
    const tenon_value args[2] = {stack->args[0], tenon_value_of_complex(0, 1)};
    give(stack, apply("aten::mul.Scalar", args, 2));
  } else {
    give(stack, unary("aten::clone", stack->args[0].as.tensor));
  }
  return TENON_OK;
}

static void each_mistake_is_named(void** state) {
  (void)state;
  const live_counts before = count_live();
  mistake which = kDouble;
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "check_test", TENON_KEY_NONE, __FILE__, __LINE__,
                              &library));
  assert_ok(tenon_library_define(library, "wrong(Tensor x) -> Tensor", NULL, NULL));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &identity;
  kernel.ctx = &which;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(
      tenon_library_impl(library, "wrong", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.backward = &wrong_backward;
  formula.ctx = &which;
  formula.language = TENON_LANGUAGE_C;
  assert_ok(tenon_library_register_autograd(library, "wrong", &formula, NULL));
  const int64_t sizes[2] = {2, 2};
  tenon_tensor* x = tensor_of(TENON_DTYPE_F64, sizes, 2, kNumbers, 4);
  tenon_tensor* z = tensor_of(TENON_DTYPE_C128, sizes, 1, kNumbers, 4);
  assert_ok(tenon_tensor_set_requires_grad(x, 1));
  assert_ok(tenon_tensor_set_requires_grad(z, 1));
  const struct {
    mistake which;
    tenon_tensor* input;
    uint32_t flags;
    const char* text;
  } cases[] = {
      {kDouble, x, 0, "twice what it should be"},
      {kNegative, x, 0, "a sign is wrong"},
      {kThird, x, 0, "0.3333 times what it should be"},
      {kZero, x, 0, "no gradient reaches"},
      {kUndefined, x, 0, "no gradient reaches"},
      {kTransposed, x, 0, "transposed"},
      {kPartly, x, 0, "nonzero derivatives are missing"},
      {kConjugate, z, 0, "a conjugate is missing"},
      {kIgnores, x, 0, "Jacobian mismatch"},
      {kChanges, x, 0, "not deterministic"},
      {kChanges, x, TENON_GRADCHECK_FAST, "not deterministic"},
      {kSquares, x, TENON_GRADCHECK_BATCHED, "must be linear"},
      {kSquares, x, TENON_GRADCHECK_FAST, "product with random vectors"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    which = cases[i].which;
    tenon_tensor* input = cases[i].input;
    first_order(&operator_of, "check_test::wrong", &input, 1, cases[i].flags, TEXTS(cases[i].text));
  }
  // With one element the Jacobian is right, although the function ignores the incoming gradient.
  which = kIgnores;
  tenon_tensor* one = leaf_of(kNumbers, 1);
  first_order(&operator_of, "check_test::wrong", &one, 1, 0,
              TEXTS("must be zero if the gradients of all outputs are zero", "got 1"));
  // With a tolerance, repeated passes may differ.
  which = kChanges;
  tenon_gradcheck_options options = usual(0);
  options.nondet_tol = 1e-3;
  const tenon_value value = tenon_value_of_tensor(one);
  tenon_buffer* report = NULL;
  assert_ok(tenon_gradcheck(&operator_of, "check_test::wrong", &value, 1, &options, &report));
  assert_report(report, NULL);
  tenon_tensor_release(one);
  tenon_tensor_release(z);
  tenon_tensor_release(x);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void second_order_mistakes(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "check_test", TENON_KEY_NONE, __FILE__, __LINE__,
                              &library));
  assert_ok(tenon_library_define(library, "square(Tensor x) -> Tensor", NULL, NULL));
  tenon_kernel kernel;
  memset(&kernel, 0, sizeof kernel);
  mistake square = kSquares;
  kernel.struct_size = sizeof kernel;
  kernel.boxed = &identity;
  kernel.ctx = &square;
  kernel.language = TENON_LANGUAGE_C;
  assert_ok(
      tenon_library_impl(library, "square", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  // The gradient of the identity: correct to first order, but detached, so it has no second
  // derivative.
  tenon_formula formula;
  memset(&formula, 0, sizeof formula);
  formula.struct_size = sizeof formula;
  formula.gradient = "x: grad.detach()";
  assert_ok(tenon_library_register_autograd(library, "square", &formula, NULL));
  tenon_tensor* x = leaf_of(kNumbers, 3);
  first_order(&operator_of, "check_test::square", &x, 1, 0, NULL);
  second_order(&operator_of, "check_test::square", &x, 1, 0,
               TEXTS("second order", "Jacobian mismatch for output 0 with respect to input 1"));
  tenon_tensor_release(x);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void given_gradients_of_outputs(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor *x = leaf_of(kNumbers, 3), *v = leaf_of(kNumbers + 3, 3);
  tenon_tensor* longer = leaf_of(kNumbers, 4);
  const float elements[3] = {1, 2, 3};
  tenon_tensor* other = vector_of(elements, 3);
  const tenon_value value = tenon_value_of_tensor(x);
  tenon_buffer* report = NULL;
  void* sine = "aten::sin";
  assert_ok(tenon_gradgradcheck(&operator_of, sine, &value, 1, &v, 1, NULL, &report));
  assert_report(report, NULL);
  tenon_tensor* none = NULL;
  assert_ok(tenon_gradgradcheck(&operator_of, sine, &value, 1, &none, 1, NULL, &report));
  assert_report(report, NULL);
  tenon_tensor* two[2] = {v, v};
  assert_error(tenon_gradgradcheck(&operator_of, sine, &value, 1, two, 2, NULL, &report),
               TENON_ERROR_INVALID_ARGUMENT, "one tensor for each of 1 outputs");
  assert_error(tenon_gradgradcheck(&operator_of, sine, &value, 1, &longer, 1, NULL, &report),
               TENON_ERROR_INVALID_ARGUMENT, "shape [3], got [4]");
  assert_error(tenon_gradgradcheck(&operator_of, sine, &value, 1, &other, 1, NULL, &report),
               TENON_ERROR_TYPE, "dtype float64, got float32");
  assert_null(report);
  tenon_tensor_release(other);
  tenon_tensor_release(longer);
  tenon_tensor_release(v);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void errors_of_functions_come_home(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* inputs[2] = {leaf_of(kNumbers, 3), leaf_of(kNumbers, 3)};
  tenon_value values[2] = {tenon_value_of_tensor(inputs[0]), tenon_value_of_tensor(inputs[1])};
  tenon_buffer* report = NULL;
  assert_error(tenon_gradcheck(&fails, "no luck", values, 1, NULL, &report), TENON_ERROR_RUNTIME,
               "no luck");
  assert_error(tenon_gradcheck(&gives_number, NULL, values, 1, NULL, &report),
               TENON_ERROR_INVALID_ARGUMENT,
               "must return a tensor, or a list or tuple with tensors, "
               "got 7");
  int calls = 0;
  assert_error(tenon_gradcheck(&grows, &calls, values, 2, NULL, &report),
               TENON_ERROR_INVALID_ARGUMENT, "outputs");
  assert_null(report);
  for (int i = 0; i < 2; ++i) tenon_tensor_release(inputs[i]);
  assert_nothing_left(before);
}

static tenon_status count_warning(void* ctx, const char* category, const char* message,
                                  const char* op) {
  (void)category, (void)op;
  if (strstr(message, "input 0 should be float64 or complex128, got float32") != NULL) {
    ++*(int*)ctx;
  }
  return TENON_OK;
}

static void coarse_inputs_are_warned_of(void** state) {
  (void)state;
  const float elements[2] = {1, 2};
  tenon_tensor* x = vector_of(elements, 2);
  assert_ok(tenon_tensor_set_requires_grad(x, 1));
  int warned = 0;
  assert_ok(tenon_warning_set_handler(&count_warning, &warned, NULL));
  tenon_gradcheck_options options = usual(0);
  options.eps = 0x1p-8;
  options.atol = options.rtol = 1e-2;
  const tenon_value value = tenon_value_of_tensor(x);
  tenon_buffer* report = NULL;
  assert_ok(tenon_gradcheck(&operator_of, "aten::exp", &value, 1, &options, &report));
  assert_report(report, NULL);
  assert_int_equal(warned, 1);
  assert_ok(tenon_warning_set_handler(NULL, NULL, NULL));
  tenon_tensor_release(x);
}

static int load_operators(void** state) {
  (void)state;
  find("aten::mul.Tensor");
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(right_gradients_pass),
      cmocka_unit_test(forward_mode_is_compared),
      cmocka_unit_test(inputs_stay_as_they_were),
      cmocka_unit_test(wrong_gradients_are_found),
      cmocka_unit_test(views_and_inputs_without_gradient),
      cmocka_unit_test(complex_gradients),
      cmocka_unit_test(empty_inputs_and_outputs),
      cmocka_unit_test(each_mistake_is_named),
      cmocka_unit_test(second_order_mistakes),
      cmocka_unit_test(given_gradients_of_outputs),
      cmocka_unit_test(errors_of_functions_come_home),
      cmocka_unit_test(coarse_inputs_are_warned_of),
  };
  return cmocka_run_group_tests(tests, &load_operators, NULL);
}
