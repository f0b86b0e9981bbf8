// SPDX-License-Identifier: Apache-2.0
// Transforms from C: vmap, vjp and jvp of functions, nested in any order, custom rules, tensors
// that outlive their layer, and leak checks.
#include "support.h"

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_status call_into(const char* name, const tenon_value* args, int64_t count,
                              tenon_value* ret) {
  *ret = tenon_value_of_none();
  return tenon_op_call_named(find(name), args, count, NULL, NULL, 0, ret, 1);
}
static tenon_status multiply(tenon_tensor* a, tenon_tensor* b, tenon_value* ret) {
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  return call_into("aten::mul.Tensor", args, 2, ret);
}

static void assert_elements(tenon_tensor* tensor, const float* expected, int64_t count) {
  assert_non_null(tensor);
  const tenon_value args[1] = {tenon_value_of_tensor(tensor)};
  tenon_value dense;
  assert_ok(call_into("aten::contiguous", args, 1, &dense));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(dense.as.tensor, &info));
  assert_int_equal(info.numel, count);
  for (int64_t i = 0; i < count; ++i) assert_float_equal(((float*)info.data)[i], expected[i], 1e-4);
  tenon_value_clear(&dense);
}

// x^3.
static tenon_status cube(void* ctx, tenon_stack* stack) {
  (void)ctx;
  tenon_tensor* x = stack->args[0].as.tensor;
  tenon_value square;
  tenon_status status = multiply(x, x, &square);
  if (status == TENON_OK) status = multiply(square.as.tensor, x, &stack->rets[0]);
  tenon_value_clear(&square);
  return status;
}

// The derivative of ctx's function in the direction of ones, by forward mode.
typedef struct transformed {
  tenon_callable function;
  void* ctx;
} transformed;

static tenon_status ones_like(tenon_tensor* x, tenon_value* ret) {
  const tenon_value args[1] = {tenon_value_of_tensor(x)};
  return call_into("aten::ones_like", args, 1, ret);
}

// [quote.begin jvp]
static tenon_status by_jvp(void* ctx, tenon_stack* stack) {
  const transformed* inner = ctx;
  tenon_value ones, primal = tenon_value_of_none();
  tenon_status status = ones_like(stack->args[0].as.tensor, &ones);
  if (status != TENON_OK) return status;
  tenon_stack call = {.args = stack->args, .nargs = 1, .rets = &primal, .nrets = 1};
  status = tenon_jvp(inner->function, inner->ctx, &call, &ones.as.tensor, &stack->rets[0]);
  tenon_value_clear(&ones);
  tenon_value_clear(&primal);
  return status;
}
// [quote.end]

// [quote.begin vjp]
static tenon_status by_vjp(void* ctx, tenon_stack* stack) {
  const transformed* inner = ctx;
  tenon_value primal = tenon_value_of_none(), ones = tenon_value_of_none();
  tenon_stack call = {.args = stack->args, .nargs = 1, .rets = &primal, .nrets = 1};
  tenon_pullback* pullback = NULL;
  tenon_status status = tenon_vjp(inner->function, inner->ctx, &call, &pullback);
  if (status == TENON_OK) status = ones_like(primal.as.tensor, &ones);
  tenon_tensor* grad = NULL;
  if (status == TENON_OK) status = tenon_pullback_run(pullback, &ones.as.tensor, 1, &grad);
  if (status == TENON_OK) stack->rets[0] = tenon_value_give(tenon_value_of_tensor(grad));
  tenon_pullback_release(pullback);
  tenon_value_clear(&ones);
  tenon_value_clear(&primal);
  return status;
}
// [quote.end]

// [quote.begin vmap]
static tenon_status by_vmap(void* ctx, tenon_stack* stack) {
  const transformed* inner = ctx;
  return tenon_vmap(inner->function, inner->ctx, NULL, stack);
}
// [quote.end]

static tenon_status run(tenon_callable function, void* ctx, tenon_tensor* x, tenon_value* ret) {
  tenon_value args[1] = {tenon_value_of_tensor(x)};
  *ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .nargs = 1, .rets = ret, .nrets = 1};
  return function(ctx, &stack);
}

static const float kX[4] = {1, 2, -1, 0.5f};

static void each_alone(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* x = vector_of(kX, 4);
  transformed of_cube = {&cube, NULL};
  tenon_value ret;
  assert_ok(run(&by_vmap, &of_cube, x, &ret));
  const float values[4] = {1, 8, -1, 0.125f};
  assert_elements(ret.as.tensor, values, 4);
  tenon_value_clear(&ret);
  const float slopes[4] = {3, 12, 3, 0.75f};
  tenon_callable const both[2] = {&by_jvp, &by_vjp};
  for (int i = 0; i < 2; ++i) {
    assert_ok(run(both[i], &of_cube, x, &ret));
    assert_elements(ret.as.tensor, slopes, 4);
    tenon_value_clear(&ret);
  }
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// Every word of three transforms around x^3: its derivatives do not depend on their order.
static void any_three_nest(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_callable const kinds[3] = {&by_vmap, &by_jvp, &by_vjp};
  const float expected[4][4] = {
      {1, 8, -1, 0.125f}, {3, 12, 3, 0.75f}, {6, 12, -6, 3}, {6, 6, 6, 6}};
  for (int word = 0; word < 27; ++word) {
    const int letters[3] = {word % 3, word / 3 % 3, word / 9};
    transformed inner = {&cube, NULL};
    transformed middle = {kinds[letters[2]], &inner};
    transformed outer = {kinds[letters[1]], &middle};
    int maps = 0;
    for (int i = 0; i < 3; ++i) maps += letters[i] == 0;
    int64_t sizes[4] = {1, 1, 1, 4};
    tenon_tensor* x = vector_of(kX, 4);
    const tenon_value view[2] = {tenon_value_of_tensor(x),
                                 tenon_value_of_ints(&sizes[3 - maps], 1 + (uint32_t)maps)};
    tenon_value shaped, ret;
    assert_ok(call_into("aten::view", view, 2, &shaped));
    assert_ok(run(kinds[letters[0]], &outer, shaped.as.tensor, &ret));
    assert_elements(ret.as.tensor, expected[3 - maps], 4);
    tenon_value_clear(&ret);
    tenon_value_clear(&shaped);
    tenon_tensor_release(x);
  }
  assert_null(tenon_layer_copy_innermost());
  assert_nothing_left(before);
}

static tenon_status fails(void* ctx, tenon_stack* stack) {
  (void)ctx, (void)stack;
  return tenon_error_raise(TENON_ERROR_INDEX, "no such row");
}

static void errors_leave_no_layer(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* x = vector_of(kX, 4);
  transformed inner = {&fails, NULL}, middle = {&by_vjp, &inner}, outer = {&by_jvp, &middle};
  tenon_value ret;
  assert_error(run(&by_vmap, &outer, x, &ret), TENON_ERROR_INDEX, "no such row");
  assert_null(tenon_layer_copy_innermost());
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void dims_and_chunks(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* x = vector_of(kX, 4);
  const int64_t none[1] = {TENON_DIM_NONE}, last[1] = {-1}, far[1] = {1};
  tenon_value args[1] = {tenon_value_of_tensor(x)};
  tenon_value ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .nargs = 1, .rets = &ret, .nrets = 1};
  tenon_vmap_options options = {.struct_size = sizeof options, .nin_dims = 1, .in_dims = none};
  assert_error(tenon_vmap(&cube, NULL, &options, &stack), TENON_ERROR_INVALID_ARGUMENT,
               "in_dims must map at least one argument");
  options.in_dims = far;
  assert_error(tenon_vmap(&cube, NULL, &options, &stack), TENON_ERROR_INVALID_ARGUMENT,
               "in_dims must be a dim of argument 0");
  options.in_dims = last;
  options.chunk_size = 3;
  assert_ok(tenon_vmap(&cube, NULL, &options, &stack));
  const float values[4] = {1, 8, -1, 0.125f};
  assert_elements(ret.as.tensor, values, 4);
  tenon_value_clear(&ret);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// The sum and the product of two.
static tenon_status sum_and_product(void* ctx, tenon_stack* stack) {
  (void)ctx;
  tenon_value both[2] = {tenon_value_of_none(), tenon_value_of_none()};
  tenon_status status = call_into("aten::add.Tensor", stack->args, 2, &both[0]);
  if (status == TENON_OK) {
    status = multiply(stack->args[0].as.tensor, stack->args[1].as.tensor, &both[1]);
  }
  if (status == TENON_OK) {
    tenon_tensor* const tensors[2] = {both[0].as.tensor, both[1].as.tensor};
    status = tenon_value_new_list(TENON_TAG_TENSOR_LIST, tensors, 2, &stack->rets[0]);
  }
  tenon_value_clear_n(both, 2);
  return status;
}

static void one_dim_is_for_all(void** state) {
  (void)state;
  const live_counts before = count_live();
  static const float elements[4] = {1, 2, 3, 4};
  static const int64_t sizes[2] = {2, 2}, last = -1, many[3] = {0, 0, 0};
  tenon_tensor* x = vector_of(elements, 4);
  const tenon_value view[2] = {tenon_value_of_tensor(x), tenon_value_of_ints(sizes, 2)};
  tenon_value square, ret = tenon_value_of_none();
  assert_ok(call_into("aten::view", view, 2, &square));
  tenon_value args[2] = {tenon_value_of_tensor(square.as.tensor),
                         tenon_value_of_tensor(square.as.tensor)};
  tenon_stack stack = {.args = args, .nargs = 2, .rets = &ret, .nrets = 1};
  tenon_vmap_options options = {.struct_size = sizeof options,
                                .in_dims = &last,
                                .nin_dims = 1,
                                .out_dims = &last,
                                .nout_dims = 1};
  assert_ok(tenon_vmap(&sum_and_product, NULL, &options, &stack));
  assert_int_equal(ret.tag, TENON_TAG_TENSOR_LIST);
  assert_int_equal(ret.count, 2);
  tenon_tensor* const* results = ret.as.list.data;
  static const float sums[4] = {2, 4, 6, 8}, products[4] = {1, 4, 9, 16};
  assert_elements(results[0], sums, 4);
  assert_elements(results[1], products, 4);
  tenon_value_clear(&ret);
  options.in_dims = many;
  options.nin_dims = 3;
  assert_error(tenon_vmap(&sum_and_product, NULL, &options, &stack), TENON_ERROR_INVALID_ARGUMENT,
               "number of in_dims must be that of the arguments, 2, got 3");
  options.nin_dims = 1;
  options.out_dims = many;
  options.nout_dims = 3;
  assert_error(tenon_vmap(&sum_and_product, NULL, &options, &stack), TENON_ERROR_INVALID_ARGUMENT,
               "number of out_dims must be that of the results, 2, got 3");
  tenon_value_clear(&square);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

// The initial gradient of a 0-dim result defaults to 1.
static tenon_status square_of(void* ctx, tenon_stack* stack) {
  (void)ctx;
  return multiply(stack->args[0].as.tensor, stack->args[0].as.tensor, &stack->rets[0]);
}

static void gradients_of_scalars_may_be_left_out(void** state) {
  (void)state;
  const live_counts before = count_live();
  static const int64_t four = 4;
  for (int ndim = 0; ndim < 2; ++ndim) {
    tenon_tensor *x = NULL, *none = NULL, *grad = NULL;
    void* data = NULL;
    assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, ndim, &four, NULL, &x));
    assert_ok(tenon_tensor_data(x, &data));
    for (int i = 0; i < (ndim == 0 ? 1 : 4); ++i) ((float*)data)[i] = 3;
    tenon_value args[1] = {tenon_value_of_tensor(x)}, ret = tenon_value_of_none();
    tenon_stack stack = {.args = args, .nargs = 1, .rets = &ret, .nrets = 1};
    tenon_pullback* pullback = NULL;
    assert_ok(tenon_vjp(&square_of, NULL, &stack, &pullback));
    if (ndim == 0) {
      const float six = 6;
      assert_ok(tenon_pullback_run(pullback, &none, 1, &grad));
      assert_elements(grad, &six, 1);
      tenon_tensor_release(grad);
    } else {
      assert_error(tenon_pullback_run(pullback, &none, 1, &grad), TENON_ERROR_STATE,
                   "must be of the output's sizes [4], got none");
    }
    tenon_pullback_release(pullback);
    tenon_value_clear(&ret);
    tenon_tensor_release(x);
  }
  assert_nothing_left(before);
}

// ---- A rule of one's own ------------------------------------------------------------------------

static int rule_calls;

static tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  const tenon_value args[3] = {stack->args[0], stack->args[0]};
  return call_into("aten::add.Tensor", args, 2, &stack->rets[0]);
}

static tenon_status rule(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                         const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims) {
  (void)ctx;
  ++rule_calls;
  assert_int_equal(info->ntensors, 1);
  assert_int_equal(info->batch_size, 4);
  *out_dims = tenon_value_of_int(in_dims[0]);
  return tenon_op_call(op, stack);
}

static tenon_status declines(void* ctx, const tenon_op* op, const tenon_vmap_info* info,
                             const int64_t* in_dims, tenon_stack* stack, tenon_value* out_dims) {
  (void)ctx, (void)op, (void)info, (void)in_dims, (void)stack, (void)out_dims;
  ++rule_calls;
  return TENON_DECLINED;
}

static tenon_status call_twice(void* ctx, tenon_stack* stack) {
  (void)ctx;
  return call_into("rules::twice", stack->args, 1, &stack->rets[0]);
}

static void rules_serve_operators(void** state) {
  (void)state;
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "rules", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, "twice(Tensor x) -> Tensor", NULL, NULL));
  const tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = &twice};
  assert_ok(tenon_library_impl(library, "rules::twice", TENON_KEY_CPU, &kernel, NULL));
  tenon_tensor* x = vector_of(kX, 4);
  transformed mapped = {&call_twice, NULL};
  const float values[4] = {2, 4, -2, 1};
  tenon_vmap_fn const rules[3] = {NULL, &rule, &declines};
  for (int i = 0; i < 3; ++i) {
    rule_calls = 0;
    tenon_registration* registration = NULL;
    if (rules[i] != NULL) {
      const tenon_vmap_rule own = {.struct_size = sizeof own, .fn = rules[i]};
      assert_ok(tenon_library_register_vmap(library, "rules::twice", &own, &registration));
    }
    tenon_value ret;
    assert_ok(run(&by_vmap, &mapped, x, &ret));
    assert_elements(ret.as.tensor, values, 4);
    assert_int_equal(rule_calls, i == 0 ? 0 : 1);
    tenon_value_clear(&ret);
    if (registration != NULL) tenon_registration_remove(registration);
    tenon_registration_release(registration);
  }
  tenon_tensor_release(x);
  tenon_library_close(library);
  tenon_library_release(library);
}

// ---- Tensors of layers --------------------------------------------------------------------------

static void what_outlives_its_layer(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor *x = vector_of(kX, 4), *high = NULL, *below = NULL;
  tenon_layer* layer = NULL;
  int64_t dim = 7;
  assert_ok(tenon_grad_enter(&layer));
  assert_int_equal(tenon_layer_kind(layer), TENON_LAYER_GRAD);
  assert_int_equal(tenon_layer_level(layer), 1);
  assert_ok(tenon_layer_wrap(layer, x, TENON_DIM_NONE, &high));
  assert_int_equal(tenon_tensor_requires_grad(high), 1);
  assert_ok(tenon_layer_unwrap(layer, high, &below, &dim));
  assert_ptr_equal(below, x);
  assert_int_equal(dim, TENON_DIM_NONE);
  tenon_tensor_release(below);
  assert_ok(tenon_layer_leave(layer));
  assert_error(tenon_layer_leave(layer), TENON_ERROR_STATE, "only the innermost layer");
  tenon_value ret;
  assert_ok(multiply(high, high, &ret));  // unwraps to x
  const float squares[4] = {1, 4, 1, 0.25f};
  assert_elements(ret.as.tensor, squares, 4);
  assert_int_equal(tenon_tensor_requires_grad(ret.as.tensor), 0);
  tenon_value_clear(&ret);
  tenon_tensor_release(high);
  tenon_layer_release(layer);

  assert_ok(tenon_vmap_enter(4, TENON_RANDOMNESS_ERROR, &layer));
  assert_ok(tenon_layer_wrap(layer, x, -1, &high));
  assert_int_equal(tenon_tensor_ndim(high), 0);
  assert_ok(tenon_layer_leave(layer));
  assert_error(multiply(high, high, &ret), TENON_ERROR_STATE, "must not outlive its transform");
  tenon_tensor_release(high);
  tenon_layer_release(layer);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_alone),
      cmocka_unit_test(any_three_nest),
      cmocka_unit_test(errors_leave_no_layer),
      cmocka_unit_test(dims_and_chunks),
      cmocka_unit_test(one_dim_is_for_all),
      cmocka_unit_test(gradients_of_scalars_may_be_left_out),
      cmocka_unit_test(rules_serve_operators),
      cmocka_unit_test(what_outlives_its_layer),
  };
  // Load the shipped operators before counting: they stay registered, which is no leak.
  (void)find("aten::mul.Tensor");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
