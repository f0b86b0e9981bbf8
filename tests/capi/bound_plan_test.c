// SPDX-License-Identifier: Apache-2.0
// Bound plans from C: kernels that support binding, reasons for a refusal, and lifetimes.
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

// Calls that a kernel receives, and deleters that run.
typedef enum asked { kCall, kBind, kRun, kStateDeleted, kContextDeleted, kAsked } asked;
static atomic_int times[kAsked];

static void forget_times(void) {
  for (int i = 0; i < kAsked; ++i) times[i] = 0;
}
static void assert_times(asked what, int expected) { assert_int_equal(times[what], expected); }

// Behavior of the kernel `scale`, which its context selects.
typedef enum behaviour {
  kBinds,
  kDeclines,
  kFails,
  kFailsSilently,
  kForgetsResult,
  kRunFails,
  kRunFailsSilently
} behaviour;

// A planned call of `scale`.
typedef struct scaling {
  behaviour how;
  int64_t numel;
  float by;
} scaling;

static void scale_elements(const scaling* plan, const float* from, float* to) {
  for (int64_t i = 0; i < plan->numel; ++i) to[i] = from[i] * plan->by;
}

// Reads the plan from the call's arguments, which are contiguous, and allocates an uninitialized
// result.
static tenon_status prepare(tenon_stack* stack, scaling* plan, void** from, void** to) {
  tenon_tensor_info info;
  tenon_status status = tenon_tensor_describe(stack->args[0].as.tensor, &info);
  if (status != TENON_OK) return status;
  tenon_tensor* out = NULL;
  status = tenon_tensor_new(info.dtype, NULL, info.ndim, info.sizes, NULL, &out);
  if (status != TENON_OK) return status;
  plan->numel = info.numel;
  plan->by = (float)stack->args[1].as.f;
  *from = info.data;
  assert_ok(tenon_tensor_data(out, to));
  stack->rets[0] = tenon_value_of_tensor(out);
  stack->rets[0].flags = TENON_VALUE_OWNED;
  return TENON_OK;
}

static tenon_status scale(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  ++times[kCall];
  scaling plan = {.how = kBinds};
  void *from = NULL, *to = NULL;
  const tenon_status status = prepare(stack, &plan, &from, &to);
  if (status == TENON_OK) scale_elements(&plan, from, to);
  return status;
}

static tenon_status run_scaling(const void* state, void* const* data) {
  const scaling* plan = state;
  ++times[kRun];
  if (plan->how == kRunFails) return tenon_error_raise(TENON_ERROR_INDEX, "the run says index");
  if (plan->how == kRunFailsSilently) return TENON_ERROR_RUNTIME;
  scale_elements(plan, data[0], data[1]);
  return TENON_OK;
}
static void delete_scaling(void* state) {
  ++times[kStateDeleted];
  free(state);
}
static void delete_context(void* ctx) {
  (void)ctx;
  ++times[kContextDeleted];
}

static tenon_status bind_scale(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                               tenon_bound* out_bound) {
  (void)op, (void)keys;
  const behaviour how = *(const behaviour*)ctx;
  ++times[kBind];
  assert_null(out_bound->run);
  if (how == kDeclines) return TENON_OK;
  if (how == kFails) return tenon_error_raise(TENON_ERROR_INDEX, "the kernel says index");
  if (how == kFailsSilently) return TENON_ERROR_RUNTIME;
  scaling* plan = malloc(sizeof *plan);
  plan->how = how;
  *out_bound = (tenon_bound){.run = run_scaling, .state = plan, .deleter = delete_scaling};
  if (how == kForgetsResult) return TENON_OK;
  void *from = NULL, *to = NULL;
  return prepare(stack, plan, &from, &to);
}

// Opens a library with `bound::scale`, whose kernel binds as `how` selects.
static tenon_library* with_scale(behaviour* how) {
  tenon_library* library = NULL;
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, "bound", TENON_KEY_NONE, __FILE__, __LINE__, &library));
  assert_ok(tenon_library_define(library, "scale(Tensor x, float by) -> Tensor", NULL, NULL));
  const tenon_kernel kernel = {.struct_size = sizeof kernel,
                               .boxed = scale,
                               .ctx = how,
                               .deleter = delete_context,
                               .language = TENON_LANGUAGE_C,
                               .name = "scale",
                               .bind = bind_scale};
  assert_ok(tenon_library_impl(library, "scale", TENON_KEY_CPU, &kernel, NULL));
  forget_times();
  return library;
}

static tenon_value ref(int64_t value) { return tenon_value_of_number(TENON_TAG_REF, value); }

static int64_t append(tenon_graph* graph, const char* name, const tenon_value* args,
                      int64_t nargs) {
  const tenon_op* op = NULL;
  int64_t result = -1;
  assert_ok(tenon_op_find(name, &op));
  assert_ok(tenon_graph_append(graph, op, args, nargs, &result));
  return result;
}
static int64_t append_scale(tenon_graph* graph, int64_t x, double by) {
  const tenon_value args[2] = {ref(x), tenon_value_of_float(by)};
  return append(graph, "bound::scale", args, 2);
}

// Builds a graph of x / 2 * 3 by the C kernel, followed by exp by a CPU kernel.
static tenon_graph* exp_of_scaled(void) {
  tenon_graph* graph = NULL;
  int64_t x = -1;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value scaled = ref(append_scale(graph, append_scale(graph, x, 0.5), 3));
  const tenon_value output = ref(append(graph, "aten::exp", &scaled, 1));
  assert_ok(tenon_graph_add_output(graph, &output));
  return graph;
}

// Builds a graph with one call of a unary operator.
static tenon_graph* graph_of(const char* name, int64_t* x) {
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", x));
  const tenon_value args[1] = {ref(*x)};
  const tenon_value output = ref(append(graph, name, args, 1));
  assert_ok(tenon_graph_add_output(graph, &output));
  return graph;
}

static tenon_tensor* run_on(tenon_graph* graph, tenon_tensor* x) {
  tenon_value arg = tenon_value_of_tensor(x), ret = tenon_value_of_none();
  tenon_stack stack = {.args = &arg, .rets = &ret, .nargs = 1, .nrets = 1};
  assert_ok(tenon_graph_run(graph, &stack));
  return ret.as.tensor;
}

static tenon_status try_run(tenon_graph* graph, tenon_tensor* x) {
  tenon_value arg = tenon_value_of_tensor(x), ret = tenon_value_of_none();
  tenon_stack stack = {.args = &arg, .rets = &ret, .nargs = 1, .nrets = 1};
  const tenon_status status = tenon_graph_run(graph, &stack);
  tenon_value_clear(&ret);
  return status;
}

static void assert_same_elements(tenon_tensor* a, tenon_tensor* b) {
  tenon_tensor_info first, second;
  assert_ok(tenon_tensor_describe(a, &first));
  assert_ok(tenon_tensor_describe(b, &second));
  assert_int_equal(first.numel, second.numel);
  assert_memory_equal(first.data, second.data, (size_t)first.numel * sizeof(float));
}

static tenon_tensor* counted(int64_t count, float first) {
  float elements[64];
  for (int64_t i = 0; i < count; ++i) elements[i] = first + (float)i / 8;
  return vector_of(elements, count);
}

static void assert_binds(tenon_graph* graph, tenon_tensor* x) {
  const tenon_value input = tenon_value_of_tensor(x);
  tenon_buffer* reason = NULL;
  assert_ok(tenon_graph_bind(graph, &input, 1, &reason));
  if (reason != NULL) fail_msg("%s", (const char*)tenon_buffer_data(reason));
}

static void assert_refused(tenon_graph* graph, tenon_tensor* x, const char* text) {
  const tenon_value input = tenon_value_of_tensor(x);
  tenon_buffer* reason = NULL;
  assert_ok(tenon_graph_bind(graph, &input, 1, &reason));
  assert_non_null(reason);
  if (strstr(tenon_buffer_data(reason), text) == NULL) {
    fail_msg("expected \"%s\", got \"%s\"", text, (const char*)tenon_buffer_data(reason));
  }
  tenon_buffer_release(reason);
}

static void Bind_KernelInC_RunsWithoutCalls(void** state) {
  (void)state;
  const live_counts before = count_live();
  behaviour how = kBinds;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  tenon_tensor *x = counted(5, -1), *y = counted(5, 2), *longer = counted(37, 0);
  tenon_tensor* called[3] = {run_on(graph, x), NULL, run_on(graph, longer)};
  assert_times(kCall, 4);
  assert_times(kBind, 0);
  assert_binds(graph, x);
  assert_times(kBind, 2);
  assert_times(kRun, 0);
  assert_binds(graph, x);  // exists already
  assert_times(kBind, 2);

  tenon_tensor *again = run_on(graph, x), *other = run_on(graph, y);
  assert_times(kCall, 4);
  assert_times(kRun, 4);
  assert_same_elements(again, called[0]);
  tenon_graph* unbound = exp_of_scaled();
  called[1] = run_on(unbound, y);
  assert_times(kCall, 6);
  assert_same_elements(other, called[1]);
  tenon_graph_release(unbound);

  // A new shape runs by calls until it is bound too; then both shapes have plans.
  assert_binds(graph, longer);
  tenon_tensor* second = run_on(graph, longer);
  assert_times(kBind, 4);
  assert_same_elements(second, called[2]);
  tenon_tensor* third = run_on(graph, x);
  assert_same_elements(third, called[0]);
  assert_times(kCall, 6);
  assert_times(kStateDeleted, 0);

  tenon_graph_release(graph);
  assert_times(kStateDeleted, 4);
  tenon_tensor* all[] = {x,         y,     longer, called[0], called[1],
                         called[2], again, other,  second,    third};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) tenon_tensor_release(all[i]);
  tenon_library_release(library);
  assert_times(kContextDeleted, 1);
  assert_nothing_left(before);
}

// A fifth shape replaces the plan of the first, and deletes its state.
static void Bind_ManyShapes_KeepsTheLast(void** state) {
  (void)state;
  behaviour how = kBinds;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  for (int64_t count = 1; count <= 6; ++count) {
    tenon_tensor* x = counted(count, 1);
    assert_binds(graph, x);
    tenon_tensor_release(x);
  }
  assert_times(kBind, 12);
  assert_times(kStateDeleted, 4);
  tenon_graph_release(graph);
  assert_times(kStateDeleted, 12);
  tenon_library_release(library);
}

static void Bind_KernelDeclines_IsTold(void** state) {
  (void)state;
  behaviour how = kDeclines;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  tenon_tensor* x = counted(5, 1);
  assert_refused(graph, x, "bound::scale: its kernel cannot be bound for these arguments");
  for (int i = 0; i < 3; ++i) tenon_tensor_release(run_on(graph, x));
  assert_times(kCall, 6);
  assert_times(kBind, 1);
  tenon_graph_release(graph);
  tenon_tensor_release(x);
  tenon_library_release(library);
}

// Adds its argument to itself with a nested call, and claims that this call is its whole work.
static tenon_status twice(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  (void)op, (void)keys;
  ++times[kCall];
  if (*(const behaviour*)ctx == kForgetsResult) {  // also creates a result outside that call
    scaling plan = {.how = kBinds};
    void *from = NULL, *to = NULL;
    return prepare(stack, &plan, &from, &to);
  }
  const tenon_op* add = NULL;
  const tenon_status status = tenon_op_find("aten::add.Tensor", &add);
  if (status != TENON_OK) return status;
  const tenon_value args[3] = {stack->args[0], stack->args[0], tenon_value_of_int(1)};
  tenon_stack call = {
      .args = (tenon_value*)args, .rets = stack->rets, .nargs = 3, .nrets = 1, .error = NULL};
  const tenon_status done = tenon_op_call(add, &call);
  stack->error = call.error;
  return done;
}
static tenon_status decline(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                            tenon_bound* out_bound) {
  (void)ctx, (void)op, (void)keys, (void)stack, (void)out_bound;
  ++times[kBind];
  return TENON_DECLINED;
}
static tenon_library* with_twice(behaviour* how) {
  tenon_library* library = NULL;
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, "bound", TENON_KEY_NONE, __FILE__, __LINE__, &library));
  assert_ok(tenon_library_define(library, "twice(Tensor x, float by=2.) -> Tensor", NULL, NULL));
  const tenon_kernel kernel = {.struct_size = sizeof kernel,
                               .boxed = twice,
                               .ctx = how,
                               .language = TENON_LANGUAGE_C,
                               .name = "twice",
                               .bind = decline};
  assert_ok(
      tenon_library_impl(library, "twice", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
  forget_times();
  return library;
}

static void Bind_KernelOnlyCalls_ItsCallsAreBound(void** state) {
  (void)state;
  behaviour how = kBinds;
  tenon_library* library = with_twice(&how);
  int64_t x_value = -1;
  tenon_graph* graph = graph_of("bound::twice", &x_value);
  tenon_tensor *x = counted(5, 1), *other = counted(5, 3);
  assert_binds(graph, x);
  assert_times(kBind, 1);
  assert_times(kCall, 1);
  tenon_tensor* sum = run_on(graph, other);
  assert_times(kCall, 1);
  float twofold[5];
  for (int i = 0; i < 5; ++i) twofold[i] = 2 * (3 + (float)i / 8);
  tenon_tensor* expected = vector_of(twofold, 5);
  assert_same_elements(sum, expected);
  tenon_tensor_release(expected);
  tenon_tensor_release(sum);
  tenon_tensor_release(other);
  tenon_tensor_release(x);
  tenon_graph_release(graph);
  tenon_library_release(library);
}

static void Bind_KernelDoesMoreThanCall_IsRefused(void** state) {
  (void)state;
  behaviour how = kForgetsResult;
  tenon_library* library = with_twice(&how);
  int64_t x_value = -1;
  tenon_graph* graph = graph_of("bound::twice", &x_value);
  tenon_tensor* x = counted(5, 1);
  assert_refused(
      graph, x,
      "bound::twice: its result must be an argument or the result of an operator that it calls");
  tenon_tensor_release(x);
  tenon_graph_release(graph);
  tenon_library_release(library);
}

static void Bind_KernelFails_GivesItsError(void** state) {
  (void)state;
  const live_counts before = count_live();
  behaviour how = kFails;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  tenon_tensor* x = counted(5, 1);
  const tenon_value input = tenon_value_of_tensor(x);
  tenon_buffer* reason = NULL;
  assert_error(tenon_graph_bind(graph, &input, 1, &reason), TENON_ERROR_INDEX,
               "the kernel says index");
  assert_null(reason);
  how = kFailsSilently;
  assert_error(tenon_graph_bind(graph, &input, 1, &reason), TENON_ERROR_RUNTIME, "bound::scale");
  how = kForgetsResult;
  assert_int_not_equal(tenon_graph_bind(graph, &input, 1, &reason), TENON_OK);
  tenon_error* error = tenon_error_take();
  assert_non_null(strstr(tenon_error_message(error), "bound::scale"));
  tenon_error_release(error);
  assert_times(kStateDeleted, 1);
  // The runs still work by calls.
  for (int i = 0; i < 3; ++i) tenon_tensor_release(run_on(graph, x));
  assert_times(kCall, 6);
  assert_times(kRun, 0);
  tenon_graph_release(graph);
  tenon_tensor_release(x);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void Bind_RunFails_TellsTheNode(void** state) {
  (void)state;
  const live_counts before = count_live();
  behaviour how = kRunFails;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  tenon_tensor *x = counted(5, 1), *y = counted(6, 1);
  assert_binds(graph, x);
  assert_int_equal(try_run(graph, x), TENON_ERROR_INDEX);
  tenon_error* error = tenon_error_take();
  assert_non_null(strstr(tenon_error_format(error), "in node 0 of a graph, bound::scale"));
  tenon_error_release(error);
  how = kRunFailsSilently;
  assert_binds(graph, y);
  assert_error(try_run(graph, y), TENON_ERROR_RUNTIME, "bound::scale: kernel failed");
  tenon_tensor_release(x);
  tenon_tensor_release(y);
  tenon_graph_release(graph);
  assert_times(kStateDeleted, 4);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static void Bind_WhatCannotBe_IsToldInWords(void** state) {
  (void)state;
  int64_t x = -1;
  tenon_tensor* vector = counted(6, 1);
  tenon_graph* graph = graph_of("aten::nonzero", &x);
  assert_refused(graph, vector, "aten::nonzero: its kernel cannot be bound");
  tenon_graph_release(graph);
  graph = graph_of("aten::exp", &x);
  assert_ok(tenon_tensor_set_requires_grad(vector, 1));
  assert_refused(graph, vector, "inputs must be plain CPU tensors");
  assert_ok(tenon_tensor_set_requires_grad(vector, 0));
  assert_binds(graph, vector);
  tenon_graph_release(graph);
  tenon_tensor_release(vector);
}

static void Bind_WrongArguments_AreRefused(void** state) {
  (void)state;
  int64_t value = -1;
  tenon_graph* graph = graph_of("aten::exp", &value);
  tenon_tensor* x = counted(2, 1);
  tenon_value inputs[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(x)};
  tenon_buffer* reason = NULL;
  assert_error(tenon_graph_bind(NULL, inputs, 1, &reason), TENON_ERROR_INVALID_ARGUMENT, "graph");
  assert_error(tenon_graph_bind(graph, NULL, 1, &reason), TENON_ERROR_INVALID_ARGUMENT, "NULL");
  assert_error(tenon_graph_bind(graph, inputs, 2, &reason), TENON_ERROR_INVALID_ARGUMENT,
               "1 inputs, got 2");
  assert_error(tenon_graph_bind(graph, inputs, -1, &reason), TENON_ERROR_INVALID_ARGUMENT, "-1");
  inputs[0] = tenon_value_of_int(3);
  assert_error(tenon_graph_bind(graph, inputs, 1, &reason), TENON_ERROR_TYPE, "x must be a tensor");
  inputs[0] = tenon_value_of_tensor(NULL);
  assert_error(tenon_graph_bind(graph, inputs, 1, &reason), TENON_ERROR_TYPE, "x must be a tensor");
  assert_null(reason);
  tenon_tensor_release(x);
  tenon_graph_release(graph);
}

// A plan retains the kernel and its context after the library is closed, although runs no longer
// use the plan.
static void Bind_LibraryClosed_PlanKeepsItsKernel(void** state) {
  (void)state;
  const live_counts before = count_live();
  behaviour how = kBinds;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  tenon_tensor* x = counted(5, 1);
  assert_binds(graph, x);
  tenon_library_close(library);
  assert_times(kContextDeleted, 0);
  assert_error(tenon_library_drain(library, 0), TENON_ERROR_BUSY, "bound::scale");
  assert_error(try_run(graph, x), TENON_ERROR_NOT_FOUND, "bound::scale");
  // That run found the plan stale and dropped it.
  assert_times(kRun, 0);
  assert_times(kStateDeleted, 2);
  assert_ok(tenon_library_drain(library, -1));
  assert_times(kContextDeleted, 1);
  tenon_graph_release(graph);
  tenon_tensor_release(x);
  tenon_library_release(library);
  assert_nothing_left(before);
}

static tenon_status scale_to_zero(void* ctx, const tenon_op* op, tenon_keyset keys,
                                  tenon_stack* stack) {
  (void)ctx;
  stack->args[1] = tenon_value_of_float(0);
  return scale(NULL, op, keys, stack);
}

static void Bind_KernelRegisteredLater_IsSeen(void** state) {
  (void)state;
  behaviour how = kBinds;
  tenon_library *library = with_scale(&how), *later = NULL;
  tenon_graph* graph = exp_of_scaled();
  tenon_tensor* x = counted(5, 1);
  assert_binds(graph, x);
  tenon_tensor* bound = run_on(graph, x);
  assert_times(kRun, 2);
  assert_ok(tenon_library_new(TENON_LIBRARY_IMPL, "bound", TENON_KEY_NONE, NULL, 0, &later));
  const tenon_kernel kernel = {.struct_size = sizeof kernel,
                               .boxed = scale_to_zero,
                               .language = TENON_LANGUAGE_C,
                               .name = "scale_to_zero"};
  assert_ok(tenon_library_impl(later, "scale", TENON_KEY_CPU, &kernel, NULL));
  for (int i = 0; i < 3; ++i) {
    tenon_tensor* y = run_on(graph, x);
    tenon_tensor_info info;
    assert_ok(tenon_tensor_describe(y, &info));
    for (int64_t k = 0; k < info.numel; ++k) assert_float_equal(((float*)info.data)[k], 1, 0);
    tenon_tensor_release(y);
  }
  assert_times(kRun, 2);
  assert_refused(graph, x, "bound::scale: its kernel cannot be bound");
  tenon_library_release(later);
  assert_binds(graph, x);
  tenon_tensor* again = run_on(graph, x);
  assert_times(kRun, 4);
  assert_same_elements(again, bound);
  tenon_tensor_release(again);
  tenon_tensor_release(bound);
  tenon_tensor_release(x);
  tenon_graph_release(graph);
  tenon_library_release(library);
}

// Elements, memory and requires_grad of a graph's attributes may change between runs.
static void Bind_AttributeChanges_RunsSee(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  int64_t x = -1, w = -1;
  tenon_tensor *input = counted(2, 1), *weights = counted(2, 3);
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  assert_ok(tenon_graph_add_attribute(graph, weights, "w", &w));
  const tenon_value args[2] = {ref(x), ref(w)};
  const tenon_value output = ref(append(graph, "aten::mul.Tensor", args, 2));
  assert_ok(tenon_graph_add_output(graph, &output));
  assert_binds(graph, input);
  void* data = NULL;
  assert_ok(tenon_tensor_data(weights, &data));
  ((float*)data)[0] = 7;
  tenon_tensor* y = run_on(graph, input);
  assert_ok(tenon_tensor_data(y, &data));
  assert_float_equal(((float*)data)[0], 7, 0);
  tenon_tensor_release(y);

  assert_ok(tenon_tensor_set_requires_grad(weights, 1));
  y = run_on(graph, input);
  assert_true(tenon_tensor_requires_grad(y));
  tenon_tensor_release(y);
  assert_ok(tenon_tensor_set_requires_grad(weights, 0));

  tenon_tensor* fresh = counted(2, 9);
  assert_ok(tenon_tensor_set_data(weights, fresh));
  tenon_tensor_release(fresh);
  y = run_on(graph, input);
  assert_ok(tenon_tensor_data(y, &data));
  assert_float_equal(((float*)data)[0], 9, 0);
  tenon_tensor_release(y);
  tenon_graph_release(graph);
  tenon_tensor_release(input);
  tenon_tensor_release(weights);
}

// One tensor as input and attribute, and then another input.
static void Bind_AttributeAsInput_IsRefused(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  int64_t x = -1, w = -1;
  tenon_tensor *input = counted(2, 5), *weights = counted(2, 3);
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  assert_ok(tenon_graph_add_attribute(graph, weights, "w", &w));
  const tenon_value args[2] = {ref(x), ref(w)};
  const tenon_value output = ref(append(graph, "aten::mul.Tensor", args, 2));
  assert_ok(tenon_graph_add_output(graph, &output));
  assert_refused(graph, weights, "inputs must not be attributes of the graph, got w");
  for (int i = 0; i < 3; ++i) tenon_tensor_release(run_on(graph, weights));
  tenon_tensor* y = run_on(graph, input);
  void* data = NULL;
  assert_ok(tenon_tensor_data(y, &data));
  assert_float_equal(((float*)data)[0], 15, 0);
  tenon_tensor_release(y);
  tenon_graph_release(graph);
  tenon_tensor_release(input);
  tenon_tensor_release(weights);
}

static void Bind_InputInPlace_IsWritten(void** state) {
  (void)state;
  int64_t x = -1;
  tenon_tensor *vector = counted(6, -1), *positive = counted(6, -1);
  tenon_graph* graph = graph_of("aten::abs_", &x);
  assert_binds(graph, vector);
  void* data = NULL;
  assert_ok(tenon_tensor_data(vector, &data));
  assert_float_equal(((float*)data)[0], -1, 0);  // to bind computes nothing
  tenon_tensor* result = run_on(graph, positive);
  assert_ptr_equal(result, positive);
  assert_ok(tenon_tensor_data(positive, &data));
  assert_float_equal(((float*)data)[0], 1, 0);
  assert_float_equal(((float*)data)[1], 0.875, 0);
  tenon_tensor_release(result);
  tenon_graph_release(graph);
  tenon_tensor_release(positive);
  tenon_tensor_release(vector);
}

// A part of a tensor that a node made shares the tensor's memory.
static void Bind_DetachedPart_IsGiven(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  int64_t x = -1;
  tenon_tensor* input = counted(64, 0);
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value made = ref(x), positive = ref(append(graph, "aten::exp", &made, 1));
  const tenon_value slice[5] = {positive, tenon_value_of_int(0), tenon_value_of_int(0),
                                tenon_value_of_int(2), tenon_value_of_int(1)};
  const tenon_value part = ref(append(graph, "aten::slice.Tensor", slice, 5));
  const tenon_value output = ref(append(graph, "aten::detach", &part, 1));
  assert_ok(tenon_graph_add_output(graph, &output));
  assert_binds(graph, input);
  for (int i = 0; i < 3; ++i) {
    tenon_tensor* y = run_on(graph, input);
    tenon_tensor_info info;
    assert_ok(tenon_tensor_describe(y, &info));
    assert_int_equal(info.numel, 2);
    assert_float_equal(((float*)info.data)[0], 1, 0);
    tenon_tensor_release(y);
  }
  tenon_graph_release(graph);
  tenon_tensor_release(input);
}

typedef struct job {
  tenon_graph* graph;
  float first;
  int wrong;
} job;

static void* run_often(void* context) {
  job* mine = context;
  tenon_graph* own = exp_of_scaled();
  for (int i = 0; i < 200; ++i) {
    // Six shapes alternate in the four plans.
    tenon_tensor* x = counted(3 + i / 4 % 6, mine->first + (float)i);
    if (i % 4 == 0) assert_binds(mine->graph, x);
    tenon_tensor *shared = run_on(mine->graph, x), *expected = run_on(own, x);
    tenon_tensor_info a, b;
    assert_ok(tenon_tensor_describe(shared, &a));
    assert_ok(tenon_tensor_describe(expected, &b));
    mine->wrong += memcmp(a.data, b.data, (size_t)a.numel * sizeof(float)) != 0;
    tenon_tensor_release(x);
    tenon_tensor_release(shared);
    tenon_tensor_release(expected);
  }
  tenon_graph_release(own);
  return NULL;
}

static void Bind_TwoThreads_RunOneGraph(void** state) {
  (void)state;
  behaviour how = kBinds;
  tenon_library* library = with_scale(&how);
  tenon_graph* graph = exp_of_scaled();
  job jobs[2] = {{graph, 0, 0}, {graph, -30, 0}};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, &run_often, &jobs[1]), 0);
  run_often(&jobs[0]);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_int_equal(jobs[0].wrong, 0);
  assert_int_equal(jobs[1].wrong, 0);
  assert_true(times[kRun] > 0);
  tenon_graph_release(graph);
  assert_int_equal(times[kStateDeleted], times[kBind]);
  tenon_library_release(library);
}

// Loads the kernel plugins, so that their handles exist before handles are counted.
static int load_kernels(void** state) {
  (void)state;
  int64_t x = -1;
  tenon_graph* graph = graph_of("aten::exp", &x);
  tenon_tensor* one = counted(1, 1);
  tenon_tensor_release(run_on(graph, one));
  tenon_tensor_release(one);
  tenon_graph_release(graph);
  return 0;
}

static int nothing_is_left(void** state) {
  (void)state;
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_GRAPH), 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Bind_KernelInC_RunsWithoutCalls),
      cmocka_unit_test(Bind_ManyShapes_KeepsTheLast),
      cmocka_unit_test(Bind_KernelDeclines_IsTold),
      cmocka_unit_test(Bind_KernelOnlyCalls_ItsCallsAreBound),
      cmocka_unit_test(Bind_KernelDoesMoreThanCall_IsRefused),
      cmocka_unit_test(Bind_KernelFails_GivesItsError),
      cmocka_unit_test(Bind_RunFails_TellsTheNode),
      cmocka_unit_test(Bind_WhatCannotBe_IsToldInWords),
      cmocka_unit_test(Bind_WrongArguments_AreRefused),
      cmocka_unit_test(Bind_LibraryClosed_PlanKeepsItsKernel),
      cmocka_unit_test(Bind_KernelRegisteredLater_IsSeen),
      cmocka_unit_test(Bind_AttributeChanges_RunsSee),
      cmocka_unit_test(Bind_AttributeAsInput_IsRefused),
      cmocka_unit_test(Bind_InputInPlace_IsWritten),
      cmocka_unit_test(Bind_DetachedPart_IsGiven),
      cmocka_unit_test(Bind_TwoThreads_RunOneGraph),
  };
  return cmocka_run_group_tests(tests, load_kernels, nothing_is_left);
}
