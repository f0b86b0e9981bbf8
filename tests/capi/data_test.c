// SPDX-License-Identifier: Apache-2.0
// Tensors apart from the graph: aliases without history, tensors with replaced data, and detach.
#include "support.h"

static tenon_tensor* apply(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(op, args, b != NULL ? 2 : 1, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}

static tenon_tensor* leaf_of(const float* elements, int64_t count) {
  tenon_tensor* leaf = vector_of(elements, count);
  assert_ok(tenon_tensor_set_requires_grad(leaf, 1));
  return leaf;
}

static void backward(tenon_tensor* output) {
  tenon_backward_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.outputs = &output;
  options.noutputs = 1;
  assert_ok(tenon_backward(&options));
}

static float* data_of(const tenon_tensor* tensor) {
  void* data = NULL;
  assert_ok(tenon_tensor_data(tensor, &data));
  return data;
}

static void data_shares_memory_only(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {1, 2};
  tenon_tensor *x = leaf_of(a, 2), *data = NULL, *again = NULL;
  assert_ok(tenon_tensor_copy_data(x, &data));
  assert_ptr_equal(data_of(data), data_of(x));
  assert_false(tenon_tensor_requires_grad(data));
  tenon_tensor_bump_version(data);
  assert_int_equal(tenon_tensor_version(x), 0);
  assert_int_equal(tenon_tensor_version(data), 1);
  assert_ok(tenon_tensor_copy_data(data, &again));
  assert_int_equal(tenon_tensor_version(again), 0);
  // Shared memory cannot be resized, and outlives the tensor that it was allocated for.
  const int64_t sizes[1] = {1000};
  assert_error(tenon_tensor_resize(x, 1, sizes, NULL), TENON_ERROR_STATE, "share");
  tenon_tensor_release(x);
  tenon_tensor_release(data);
  assert_float_equal(data_of(again)[1], 2, 0);
  tenon_tensor_release(again);
  assert_nothing_left(before);
}

static void other_data_keeps_what_autograd_knows(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {1, 2}, b[3] = {3, 4, 5};
  tenon_tensor *x = leaf_of(a, 2), *other = vector_of(b, 3);
  assert_ok(tenon_tensor_set_data(x, other));
  assert_int_equal(tenon_tensor_numel(x), 3);
  assert_ptr_equal(data_of(x), data_of(other));
  assert_true(tenon_tensor_requires_grad(x) && tenon_tensor_is_leaf(x));
  assert_false(tenon_tensor_requires_grad(other));
  tenon_tensor_release(other);
  tenon_tensor* y = apply("aten::mul.Tensor", x, x);
  tenon_tensor* sum = apply("aten::sum", y, NULL);
  backward(sum);
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  assert_int_equal(tenon_tensor_numel(grad), 3);
  assert_float_equal(data_of(grad)[2], 10, 1e-6);
  tenon_tensor_release(grad);
  tenon_tensor_release(sum);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static int is_inference(const tenon_tensor* tensor) {
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  return (info.flags & TENON_TENSOR_INFERENCE) != 0;
}

static void data_of_inference_tensors(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {1, 2}, b[2] = {3, 4};
  tenon_tensor* x = leaf_of(a, 2);
  tenon_key_guard mode;
  assert_ok(tenon_grad_mode_enter(TENON_GRAD_MODE_INFERENCE, &mode));
  tenon_tensor *made = vector_of(b, 2), *other = vector_of(a, 2);
  assert_ok(tenon_tensor_set_data(x, made));
  tenon_key_guard_leave(&mode);
  assert_true(is_inference(made) && is_inference(other) && !is_inference(x));
  // A leaf stays a leaf: later calls are recorded, and writes increment the version.
  tenon_tensor *y = apply("aten::mul.Tensor", x, x), *sum = apply("aten::sum", y, NULL);
  backward(sum);
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  assert_float_equal(data_of(grad)[1], 8, 1e-6);
  tenon_tensor_bump_version(x);
  assert_int_equal(tenon_tensor_version(x), 1);
  assert_ok(tenon_tensor_set_data(other, x));
  assert_true(is_inference(other));
  assert_ptr_equal(data_of(other), data_of(x));
  tenon_tensor* const all[] = {x, made, other, y, sum, grad};
  for (int i = 0; i < 6; ++i) tenon_tensor_release(all[i]);
  assert_nothing_left(before);
}

static void views_stay_on_the_old_memory(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[2] = {1, 2}, b[2] = {3, 4};
  const int64_t sizes[1] = {1}, strides[1] = {1};
  tenon_tensor *x = vector_of(a, 2), *view = NULL;
  assert_ok(tenon_tensor_new_alias(x, 1, sizes, strides, 1, &view));
  for (int round = 0; round < 3; ++round) {
    tenon_tensor *other = vector_of(b, 2), *second = NULL;
    assert_ok(tenon_tensor_set_data(x, other));
    assert_ok(tenon_tensor_new_alias(x, 1, sizes, strides, 0, &second));
    tenon_tensor_release(other);
    assert_float_equal(data_of(view)[0], 2, 0);
    assert_float_equal(data_of(second)[0], 3, 0);
    tenon_tensor_release(second);
  }
  assert_float_equal(data_of(x)[1], 4, 0);
  tenon_tensor_release(x);
  assert_float_equal(data_of(view)[0], 2, 0);
  tenon_tensor_release(view);
  // Also works for a tensor that shared another's memory from the start, and for two that swap
  // memory.
  x = vector_of(a, 2);
  tenon_tensor *y = vector_of(b, 2), *old = NULL;
  assert_ok(tenon_tensor_copy_data(x, &old));
  assert_ok(tenon_tensor_set_data(x, y));
  assert_ok(tenon_tensor_set_data(y, old));
  assert_ok(tenon_tensor_set_data(old, x));
  tenon_tensor_release(old);
  assert_float_equal(data_of(x)[0], 3, 0);
  assert_float_equal(data_of(y)[0], 1, 0);
  tenon_tensor_release(x);
  tenon_tensor_release(y);
  assert_nothing_left(before);
}

static void old_memory_goes_when_nobody_else_looks(void** state) {
  (void)state;
  const float a[2] = {1, 2};
  tenon_tensor* x = vector_of(a, 2);
  const live_counts before = count_live();
  for (int round = 0; round < 100; ++round) {
    tenon_tensor* other = vector_of(a, 2);
    assert_ok(tenon_tensor_set_data(x, other));
    tenon_tensor_release(other);
  }
  const live_counts after = count_live();
  assert_true(after.of[TENON_HANDLE_STORAGE] <= before.of[TENON_HANDLE_STORAGE] + 2);
  tenon_tensor_release(x);
}

static void detach_cuts_the_future(void** state) {
  (void)state;
  const live_counts before = count_live();
  const float a[1] = {3};
  tenon_tensor* x = leaf_of(a, 1);
  tenon_tensor* h = apply("aten::mul.Tensor", x, x);
  tenon_tensor* y = apply("aten::mul.Tensor", h, h);
  assert_ok(tenon_tensor_detach(h));
  assert_true(tenon_tensor_is_leaf(h));
  assert_false(tenon_tensor_requires_grad(h));
  assert_true(tenon_tensor_requires_grad(y));
  backward(y);
  tenon_tensor* grad = NULL;
  assert_ok(tenon_tensor_copy_grad(x, &grad));
  assert_float_equal(data_of(grad)[0], 108, 1e-3);
  assert_ok(tenon_tensor_detach(x));
  assert_false(tenon_tensor_requires_grad(x));
  tenon_tensor_release(grad);
  tenon_tensor_release(y);
  tenon_tensor_release(h);
  tenon_tensor_release(x);
  assert_nothing_left(before);
}

static void printed_tensors_tell_of_gradients(void** state) {
  (void)state;
  const float a[1] = {3};
  tenon_tensor* x = leaf_of(a, 1);
  tenon_tensor* y = apply("aten::mul.Tensor", x, x);
  const char* expected[2] = {"tensor([3.], requires_grad=True)",
                             "tensor([9.], grad_fn=<MulBackward0>)"};
  tenon_tensor* both[2] = {x, y};
  for (int i = 0; i < 2; ++i) {
    tenon_buffer* text = NULL;
    assert_ok(tenon_tensor_print(both[i], &text));
    assert_string_equal(tenon_buffer_data(text), expected[i]);
    tenon_buffer_release(text);
  }
  tenon_tensor_release(y);
  tenon_tensor_release(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_shares_memory_only),
      cmocka_unit_test(other_data_keeps_what_autograd_knows),
      cmocka_unit_test(data_of_inference_tensors),
      cmocka_unit_test(views_stay_on_the_old_memory),
      cmocka_unit_test(old_memory_goes_when_nobody_else_looks),
      cmocka_unit_test(detach_cuts_the_future),
      cmocka_unit_test(printed_tensors_tell_of_gradients),
  };
  const tenon_op* op = NULL;  // the shipped operators stay registered, which is no leak
  assert_ok(tenon_op_find("aten::mul.Tensor", &op));
  return cmocka_run_group_tests(tests, NULL, NULL);
}
