// SPDX-License-Identifier: Apache-2.0
// Wrong calls of op.h, and operators whose kernel misbehaves. Each case defines its own operator
// `bad::called`, with a CPU kernel, and removes it afterwards.
#include "badinput.h"

// Instructions for the kernel of a case.
typedef struct script {
  const bad_values* results;  // for `results`
  const char* way;            // for `failing`: silent, slot, stack or write
  tenon_status status;
} script;

// Calls with the values of a case. A call that fails leaves no result and no error in the stack.
static tenon_status run(tenon_status (*function)(const tenon_op*, tenon_stack*), const tenon_op* op,
                        bad_values* values, uint32_t nrets) {
  tenon_value rets[4];
  tenon_stack stack;
  memset(rets, 0, sizeof rets);
  memset(&stack, 0, sizeof stack);
  stack.args = values->of;
  stack.nargs = values->count;
  stack.rets = rets;
  stack.nrets = nrets;
  const tenon_status status = function(op, &stack);
  assert_null(stack.error);
  for (size_t i = 0; i < 4; ++i) assert_int_equal(rets[i].tag, TENON_TAG_NONE);
  return status;
}

static tenon_status call_by(tenon_status (*function)(const tenon_op*, tenon_stack*),
                            const bad_world* world, const bad_case* one) {
  bad_values values;
  read_values(world, one->args[1], &values);
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  const tenon_status status = run(function, called.op, &values, (uint32_t)number_of(one->args[2]));
  tenon_library_release(called.library);
  return status;
}

static tenon_status checked_call(const bad_world* world, const bad_case* one) {
  return call_by(&tenon_op_call, world, one);
}

static tenon_status plain_call(const bad_world* world, const bad_case* one) {
  return call_by(&tenon_op_call_fast, world, one);
}

static tenon_status resolve(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_frame frame;
  read_values(world, one->args[1], &values);
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  assert_null(tenon_frame_begin_boxed(called.op, values.of, values.count, &frame));
  tenon_library_release(called.library);
  return tenon_error_peek() != NULL ? tenon_error_code(tenon_error_peek()) : TENON_OK;
}

static tenon_status check(const bad_world* world, const bad_case* one) {
  bad_values values;
  read_values(world, one->args[1], &values);
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  const tenon_status status = tenon_op_check_arguments(called.op, values.of, values.count);
  tenon_library_release(called.library);
  return status;
}

static tenon_status keys(const bad_world* world, const bad_case* one) {
  bad_values values;
  tenon_keyset set = 7;
  read_values(world, one->args[1], &values);
  const bad_op called = open_called(one->args[0], &bad_return_first, NULL);
  const tenon_status status = tenon_op_compute_keys(called.op, values.of, values.count, &set);
  assert_int_equal(set, 0);
  tenon_library_release(called.library);
  return status;
}

// ---- Kernels that do wrong ----------------------------------------------------------------------

static tenon_status give_results(void* ctx, const tenon_op* op, tenon_keyset called_keys,
                                 tenon_stack* stack) {
  (void)op, (void)called_keys;
  const bad_values* results = ((script*)ctx)->results;
  if (results == NULL) {  // forgets to retain
    stack->rets[0] = stack->args[0];
    stack->rets[0].flags = 0;
    return TENON_OK;
  }
  for (uint32_t i = 0; i < results->count; ++i) {
    const tenon_status status = tenon_value_copy(&results->of[i], &stack->rets[i]);
    if (status != TENON_OK) return status;
  }
  return TENON_OK;
}

static tenon_status results(const bad_world* world, const bad_case* one) {
  bad_values values, given;
  script told = {&given, NULL, TENON_OK};
  if (strcmp(one->args[1], "borrowed") == 0) {
    told.results = NULL;
  } else {
    read_values(world, one->args[1], &given);
  }
  const bad_op called = open_called(one->args[0], &give_results, &told);
  values.of[0] = tenon_value_of_tensor(world->tensor);
  values.count = 1;
  const tenon_status status =
      run(&tenon_op_call_fast, called.op, &values, told.results != NULL ? given.count : 1);
  tenon_library_release(called.library);
  return status;
}

static tenon_status fail_as_told(void* ctx, const tenon_op* op, tenon_keyset called_keys,
                                 tenon_stack* stack) {
  const script* told = ctx;
  (void)op, (void)called_keys;
  if (strcmp(told->way, "slot") == 0) return tenon_error_raise(told->status, "from the slot");
  if (strcmp(told->way, "write") == 0) {
    assert_ok(bad_return_first(NULL, op, called_keys, stack));
  }
  if (strcmp(told->way, "silent") != 0) {
    stack->error = tenon_error_new(told->status, NULL, "from the stack");
  }
  return told->status;
}

static tenon_status failing(const bad_world* world, const bad_case* one) {
  char way[20];
  // "silent DECLINED" returns a status that is not a failure.
  const int declines = strcmp(one->args[0], "silent DECLINED") == 0;
  script told = {NULL, way, declines ? TENON_DECLINED : one->code};
  bad_values values;
  snprintf(way, sizeof way, "%.*s", (int)strcspn(one->args[0], " "), one->args[0]);
  const bad_op called = open_called("called(Tensor x) -> Tensor", &fail_as_told, &told);
  values.of[0] = tenon_value_of_tensor(world->tensor);
  values.count = 1;
  const tenon_status status = run(&tenon_op_call_fast, called.op, &values, 1);
  tenon_library_release(called.library);
  return status;
}

// ---- Keys of calls ------------------------------------------------------------------------------

static tenon_status call_key(const bad_world* world, const bad_case* one) {
  tenon_value args[1] = {tenon_value_of_tensor(world->tensor)}, rets[1];
  tenon_stack stack;
  memset(rets, 0, sizeof rets);
  memset(&stack, 0, sizeof stack);
  stack.args = args;
  stack.nargs = 1;
  stack.rets = rets;
  stack.nrets = 1;
  const tenon_status status = tenon_op_call_key(world->taken, key_of(one->args[0]), &stack);
  assert_int_equal(rets[0].tag, TENON_TAG_NONE);
  return status;
}

// The error of a redispatch stays in the stack of the calling kernel.
static tenon_status redispatch(const bad_world* world, const bad_case* one) {
  const int written = strcmp(one->args[0], "written") == 0;
  tenon_value args[1] = {tenon_value_of_tensor(world->tensor)}, rets[1];
  tenon_keyset set = 0;
  tenon_stack stack;
  memset(rets, 0, sizeof rets);
  memset(&stack, 0, sizeof stack);
  assert_ok(tenon_keyset_from_key(written ? TENON_KEY_CPU : key_of(one->args[0]), &set));
  stack.args = args;
  stack.nargs = 1;
  stack.rets = rets;
  stack.nrets = written ? 0 : 1;
  const tenon_status status = tenon_op_redispatch(world->taken, set, &stack);
  assert_null(tenon_error_peek());
  tenon_error_set(stack.error);
  return status;
}

// Passes a tensor of the case's kind and the key set of a key; "none" leaves the tensor out.
static tenon_status check_keys(const bad_world* world, const bad_case* one) {
  const int on_meta = strcmp(one->args[1], "TM") == 0;
  const tenon_value arg = tenon_value_of_tensor(on_meta ? world->meta : world->tensor);
  tenon_keyset set = 0;
  assert_ok(tenon_keyset_from_key(key_of(one->args[0]), &set));
  return tenon_op_check_keys(world->taken, set, &arg, strcmp(one->args[1], "none") != 0);
}

static tenon_status slot(const bad_world* world, const bad_case* one) {
  bad_slot given;
  const tenon_key key = read_slot(one->args[0], &given);
  return tenon_introspect_get_slot(world->taken, key, &given.info);
}

const bad_named_call bad_op_calls[] = {{"call", &checked_call},
                                       {"plain_call", &plain_call},
                                       {"resolve", &resolve},
                                       {"check", &check},
                                       {"keys", &keys},
                                       {"results", &results},
                                       {"failing", &failing},
                                       {"call_key", &call_key},
                                       {"redispatch", &redispatch},
                                       {"check_keys", &check_keys},
                                       {"slot", &slot},
                                       {NULL, NULL}};
