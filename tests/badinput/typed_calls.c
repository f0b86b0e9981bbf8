// SPDX-License-Identifier: Apache-2.0
// Wrong calls of the functions in op.h that begin a frame or resolve a kernel, and of the check of
// results. The operator of a case, `bad::called`, exists only while the case runs.
#include "badinput.h"

// A failed begin: the frame must be unchanged and must not be left.
static tenon_status status_of(const tenon_entry* entry) {
  assert_null(entry);
  return tenon_error_peek() != NULL ? tenon_error_code(tenon_error_peek()) : TENON_OK;
}

// WAY ("1", "2", "3", "n" or "factory DEVICE") SCHEMA ARGUMENTS, all tensors.
static tenon_status begin(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_tensor* tensors[8] = {NULL};
  tenon_frame frame;
  tenon_device device;
  tenon_status status = TENON_OK;
  read_values(world, one->args[2], &values);
  for (uint32_t i = 0; i < values.count; ++i) tensors[i] = values.of[i].as.tensor;
  const bad_op called = open_called(one->args[1], &bad_return_first, NULL);
  switch (one->args[0][0]) {
    case '1':
      status = status_of(tenon_frame_begin1(called.op, tensors[0], &frame));
      break;
    case '2':
      status = status_of(tenon_frame_begin2(called.op, tensors[0], tensors[1], &frame));
      break;
    case '3':
      status = status_of(tenon_frame_begin3(called.op, tensors[0], tensors[1], tensors[2], &frame));
      break;
    case 'n':
      status = status_of(tenon_frame_begin_n(called.op, tensors, values.count, &frame));
      break;
    default:
      status = status_of(
          tenon_frame_begin_factory(called.op, device_of(one->args[0] + 8, &device), &frame));
  }
  tenon_library_release(called.library);
  return status;
}

static tenon_status begin_keys(const bad_world* world, const bad_case* one) {
  tenon_keyset keys = 0;
  tenon_frame frame;
  if (strcmp(one->args[0], "Undefined") != 0) {
    assert_ok(tenon_keyset_from_key(key_of(one->args[0]), &keys));
  }
  return status_of(tenon_frame_begin_keys(world->taken, keys, &frame));
}

// SCHEMA NRETS: calls a kernel that returns its first argument, with room for NRETS results.
static tenon_status invoke(const bad_world* world, const bad_case* one) {
  tenon_value args[1] = {tenon_value_of_tensor(world->tensor)}, rets[4];
  tenon_stack stack;
  tenon_frame frame;
  memset(rets, 0, sizeof rets);
  memset(&stack, 0, sizeof stack);
  stack.args = args;
  stack.nargs = 1;
  stack.rets = rets;
  stack.nrets = (uint32_t)number_of(one->args[1]);
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  const tenon_entry* entry = tenon_frame_begin_boxed(called.op, args, 1, &frame);
  assert_non_null(entry);
  const tenon_status status = tenon_frame_call(&frame, &stack);
  assert_null(stack.error);
  for (size_t i = 0; i < 4; ++i) assert_int_equal(rets[i].tag, TENON_TAG_NONE);
  assert_int_equal(tenon_frame_end(&frame, TENON_OK), TENON_OK);
  tenon_library_release(called.library);
  return status;
}

// SCHEMA RESULTS
static tenon_status check_results(const bad_world* world, const bad_case* one) {
  bad_values values;
  read_values(world, one->args[1], &values);
  for (uint32_t i = 0; i < values.count; ++i) values.of[i].flags = TENON_VALUE_OWNED;
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  const tenon_status status = tenon_op_check_results(called.op, values.of, values.count);
  tenon_library_release(called.library);
  return status;
}

// A typed kernel that left its result NULL, which ending the frame must report.
static tenon_status end_without_result(const bad_world* world, const bad_case* one) {
  (void)one;
  tenon_frame frame;
  const bad_op called = open_called("called(Tensor x) -> Tensor", &bad_return_first, NULL);
  assert_non_null(tenon_frame_begin1(called.op, world->tensor, &frame));
  const tenon_status status = tenon_frame_end_without_result(&frame, 0);
  tenon_library_release(called.library);
  return status;
}

const bad_named_call bad_typed_calls[] = {{"begin", &begin},
                                          {"begin_keys", &begin_keys},
                                          {"invoke", &invoke},
                                          {"check_results", &check_results},
                                          {"end_without_result", &end_without_result},
                                          {NULL, NULL}};
