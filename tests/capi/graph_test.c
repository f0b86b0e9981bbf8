// SPDX-License-Identifier: Apache-2.0
// Graphs from C: recorded above and below autograd, built by hand, read, run, defined as operators,
// changed, printed and parsed, saved and loaded.
#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <stdlib.h>
#include <unistd.h>

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_tensor* apply(const char* name, const tenon_value* args, int64_t count) {
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find(name), args, count, NULL, NULL, 0, &ret, 1));
  assert_int_equal(ret.tag, TENON_TAG_TENSOR);
  return ret.as.tensor;
}
static tenon_tensor* unary(const char* name, tenon_tensor* x) {
  const tenon_value args[1] = {tenon_value_of_tensor(x)};
  return apply(name, args, 1);
}
static tenon_tensor* binary(const char* name, tenon_tensor* x, tenon_tensor* y) {
  const tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_tensor(y)};
  return apply(name, args, 2);
}

static void assert_elements(tenon_tensor* tensor, const float* expected, int64_t count) {
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  assert_int_equal(info.numel, count);
  for (int64_t i = 0; i < count; ++i) assert_float_equal(((float*)info.data)[i], expected[i], 1e-5);
}

static tenon_status run(tenon_graph* graph, tenon_tensor** inputs, uint32_t ninputs,
                        tenon_value* ret) {
  tenon_value args[4];
  for (uint32_t i = 0; i < ninputs; ++i) args[i] = tenon_value_of_tensor(inputs[i]);
  *ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .rets = ret, .nargs = ninputs, .nrets = 1};
  return tenon_graph_run(graph, &stack);
}

static void assert_runs(tenon_graph* graph, const float* input, const float* expected,
                        int64_t count) {
  tenon_tensor* x = vector_of(input, count);
  tenon_value ret;
  assert_ok(run(graph, &x, 1, &ret));
  assert_elements(ret.as.tensor, expected, count);
  tenon_value_clear(&ret);
  tenon_tensor_release(x);
}

static tenon_graph_node node_of(const tenon_graph* graph, int64_t index) {
  tenon_graph_node node = {.struct_size = sizeof node};
  assert_ok(tenon_graph_get_node(graph, index, &node));
  return node;
}

static void assert_op(const tenon_graph* graph, int64_t index, const char* name) {
  assert_string_equal(tenon_op_name(node_of(graph, index).op), name);
}

// Records relu(x * w) + x, where w is not an input but an attribute of the graph.
static tenon_graph* recorded(uint32_t flags) {
  const float ones[2] = {1, 1}, weights[2] = {2, -3};
  tenon_tensor *x = vector_of(ones, 2), *w = vector_of(weights, 2);
  // [quote.begin record]
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_begin(flags, &graph));
  assert_ok(tenon_graph_add_input(graph, x, "x", NULL));
  tenon_tensor* product = binary("aten::mul.Tensor", x, w);
  tenon_tensor* positive = unary("aten::relu", product);
  tenon_tensor* sum = binary("aten::add.Tensor", positive, x);
  const tenon_value output = tenon_value_of_tensor(sum);
  assert_ok(tenon_graph_add_output(graph, &output));
  assert_ok(tenon_graph_end(graph));
  // [quote.end]
  tenon_tensor_release(sum);
  tenon_tensor_release(positive);
  tenon_tensor_release(product);
  tenon_tensor_release(w);
  tenon_tensor_release(x);
  return graph;
}

static void Graph_Recorded_TellsItsCalls(void** state) {
  (void)state;
  for (uint32_t flags = 0; flags <= TENON_GRAPH_BELOW_AUTOGRAD; ++flags) {
    tenon_graph* graph = recorded(flags);
    assert_false(tenon_graph_is_recording());
    assert_int_equal(tenon_graph_node_count(graph), 3);
    assert_int_equal(tenon_graph_input_count(graph), 1);
    assert_int_equal(tenon_graph_attribute_count(graph), 1);
    assert_op(graph, 0, "aten::mul.Tensor");
    assert_op(graph, 1, "aten::relu");
    assert_op(graph, 2, "aten::add.Tensor");
    const tenon_graph_node product = node_of(graph, 0), sum = node_of(graph, 2);
    assert_int_equal(product.args[0].tag, TENON_TAG_REF);
    assert_int_equal(product.args[0].as.i, tenon_graph_input_value(graph, 0));
    assert_int_equal(product.args[1].as.i, tenon_graph_attribute_value(graph, 0));
    assert_int_equal(sum.args[0].as.i, node_of(graph, 1).first_result);
    assert_int_equal(sum.args[1].as.i, tenon_graph_input_value(graph, 0));
    assert_int_equal(tenon_graph_peek_output(graph, 0)->as.i, sum.first_result);
    assert_null(tenon_graph_peek_output(graph, 1));
    assert_true(tenon_graph_input_value(graph, 1) == -1);
    assert_true(tenon_graph_attribute_value(graph, -1) == -1);
    tenon_graph_release(graph);
  }
}

static void Graph_Values_TellWhatIsKnown(void** state) {
  (void)state;
  tenon_graph* graph = recorded(0);
  tenon_graph_value value = {.struct_size = sizeof value};
  assert_ok(tenon_graph_get_value(graph, tenon_graph_input_value(graph, 0), &value));
  assert_int_equal(value.kind, TENON_GRAPH_VALUE_INPUT);
  assert_string_equal(value.name, "x");
  assert_int_equal(value.dtype, TENON_DTYPE_F32);
  assert_int_equal(value.ndim, 1);
  assert_int_equal(value.sizes[0], 2);
  assert_ok(tenon_graph_get_value(graph, tenon_graph_attribute_value(graph, 0), &value));
  assert_int_equal(value.kind, TENON_GRAPH_VALUE_ATTRIBUTE);
  assert_non_null(value.tensor);
  assert_ok(tenon_graph_get_value(graph, tenon_graph_value_count(graph) - 1, &value));
  assert_int_equal(value.kind, TENON_GRAPH_VALUE_RESULT);
  assert_int_equal(value.source, 2);
  tenon_graph_release(graph);
}

static void Graph_Run_GivesWhatTheCallsGive(void** state) {
  (void)state;
  tenon_graph* graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD);
  assert_runs(graph, (const float[2]){3, -1}, (const float[2]){9, 2}, 2);
  assert_runs(graph, (const float[2]){-1, 1}, (const float[2]){-1, 1}, 2);
  assert_error(tenon_graph_add_input(graph, NULL, NULL, NULL), TENON_ERROR_STATE, "run");
  tenon_graph_release(graph);
}

static void Graph_FailedCall_LeavesNothing(void** state) {
  (void)state;
  tenon_tensor *two = vector_of((const float[2]){1, 1}, 2), *three = vector_of((float[3]){0}, 3);
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_begin(TENON_GRAPH_BELOW_AUTOGRAD, &graph));
  const tenon_value args[2] = {tenon_value_of_tensor(two), tenon_value_of_tensor(three)};
  tenon_value ret;
  assert_int_equal(tenon_op_call_named(find("aten::add.Tensor"), args, 2, NULL, NULL, 0, &ret, 1),
                   TENON_ERROR_INVALID_ARGUMENT);
  tenon_error_release(tenon_error_take());
  assert_ok(tenon_graph_end(graph));
  assert_int_equal(tenon_graph_node_count(graph), 0);
  assert_int_equal(tenon_graph_value_count(graph), 0);
  tenon_graph_release(graph);
  tenon_tensor_release(two);
  tenon_tensor_release(three);
}

static void Recording_Nested_RecordsInnermostOnly(void** state) {
  (void)state;
  for (uint32_t flags = 0; flags < 4; ++flags) {
    tenon_tensor* x = vector_of((const float[1]){1}, 1);
    tenon_graph *outer = NULL, *inner = NULL;
    assert_ok(tenon_graph_begin(flags & 1, &outer));
    tenon_tensor* before = unary("aten::sin", x);
    assert_ok(tenon_graph_begin(flags >> 1, &inner));
    tenon_tensor* inside = unary("aten::cos", before);
    assert_error(tenon_graph_end(outer), TENON_ERROR_STATE, "innermost");
    assert_ok(tenon_graph_end(inner));
    tenon_tensor* after = unary("aten::exp", x);
    assert_ok(tenon_graph_end(outer));
    assert_int_equal(tenon_graph_node_count(outer), 2);
    assert_op(outer, 1, "aten::exp");
    assert_int_equal(tenon_graph_node_count(inner), 1);
    assert_op(inner, 0, "aten::cos");
    tenon_graph_release(outer);
    tenon_graph_release(inner);
    tenon_tensor_release(before);
    tenon_tensor_release(inside);
    tenon_tensor_release(after);
    tenon_tensor_release(x);
  }
}

static void Recording_Strict_RefusesNumbersOfTensors(void** state) {
  (void)state;
  tenon_tensor* x = vector_of((const float[1]){1}, 1);
  const tenon_value args[1] = {tenon_value_of_tensor(x)};
  for (uint32_t strict = 0; strict <= TENON_GRAPH_STRICT; strict += TENON_GRAPH_STRICT) {
    tenon_graph* graph = NULL;
    tenon_value ret;
    assert_ok(tenon_graph_begin(TENON_GRAPH_BELOW_AUTOGRAD | strict, &graph));
    const tenon_status status =
        tenon_op_call_named(find("aten::item"), args, 1, NULL, NULL, 0, &ret, 1);
    if (strict != 0) {
      assert_error(status, TENON_ERROR_DATA_DEPENDENT, "strict");
    } else {
      assert_ok(status);
      assert_float_equal(ret.as.f, 1, 0);
    }
    assert_ok(tenon_graph_end(graph));
    tenon_graph_release(graph);
  }
  tenon_tensor_release(x);
}

static void Recording_AboveAutograd_KeepsComposites(void** state) {
  (void)state;
  const int64_t sizes[2] = {2, 2};
  tenon_tensor* x = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &x));
  for (uint32_t flags = 0; flags <= TENON_GRAPH_BELOW_AUTOGRAD; ++flags) {
    tenon_graph* graph = NULL;
    assert_ok(tenon_graph_begin(flags, &graph));
    tenon_tensor* product = binary("aten::matmul", x, x);
    assert_ok(tenon_graph_end(graph));
    assert_int_equal(tenon_graph_node_count(graph), 1);
    assert_op(graph, 0, flags == 0 ? "aten::matmul" : "aten::mm");
    tenon_tensor_release(product);
    tenon_graph_release(graph);
  }
  tenon_tensor_release(x);
}

// The other thread's part: a state that it enters.
static void Recording_ThreadState_RecordsThere(void** state) {
  (void)state;
  tenon_tensor* x = vector_of((const float[1]){1}, 1);
  for (uint32_t flags = 0; flags <= TENON_GRAPH_BELOW_AUTOGRAD; ++flags) {
    tenon_graph* graph = NULL;
    tenon_thread_state *carried = NULL, *before = NULL;
    assert_ok(tenon_graph_begin(flags, &graph));
    assert_ok(tenon_thread_state_capture(&carried));
    assert_ok(tenon_thread_state_enter(carried, &before));
    tenon_tensor* y = unary("aten::sin", x);
    assert_ok(tenon_thread_state_leave(before));
    assert_ok(tenon_graph_end(graph));
    // The captured state no longer records once the recording has ended.
    assert_ok(tenon_thread_state_enter(carried, &before));
    tenon_tensor* z = unary("aten::cos", x);
    assert_ok(tenon_thread_state_leave(before));
    assert_int_equal(tenon_graph_node_count(graph), 1);
    assert_op(graph, 0, "aten::sin");
    tenon_thread_state_release(carried);
    tenon_tensor_release(y);
    tenon_tensor_release(z);
    tenon_graph_release(graph);
  }
  tenon_tensor_release(x);
}

// chunk(x, 2)[1] * 2 of a list, and topk's second result.
static void Graph_ListsAndSeveralResults_AreValues(void** state) {
  (void)state;
  tenon_tensor* x = vector_of((const float[4]){1, 2, 3, 4}, 4);
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_begin(TENON_GRAPH_BELOW_AUTOGRAD, &graph));
  assert_ok(tenon_graph_add_input(graph, x, "x", NULL));
  const tenon_value args[2] = {tenon_value_of_tensor(x), tenon_value_of_int(2)};
  tenon_value parts;
  assert_ok(tenon_op_call_named(find("aten::split.Tensor"), args, 2, NULL, NULL, 0, &parts, 1));
  tenon_tensor* const* halves = parts.as.list.data;
  tenon_tensor* sum = binary("aten::add.Tensor", halves[0], halves[1]);
  const tenon_value list[1] = {tenon_value_of_tensors(halves, 2)};
  tenon_tensor* joined = apply("aten::cat", list, 1);
  const tenon_value outputs[2] = {tenon_value_of_tensor(sum), tenon_value_of_tensor(joined)};
  assert_ok(tenon_graph_add_output(graph, &outputs[0]));
  assert_ok(tenon_graph_add_output(graph, &outputs[1]));
  assert_ok(tenon_graph_end(graph));
  tenon_tensor* other = vector_of((const float[4]){5, 6, 7, 8}, 4);
  tenon_value arg = tenon_value_of_tensor(other), rets[2] = {{0}, {0}};
  tenon_stack stack = {.args = &arg, .rets = rets, .nargs = 1, .nrets = 2};
  assert_ok(tenon_graph_run(graph, &stack));
  assert_elements(rets[0].as.tensor, (const float[2]){12, 14}, 2);
  assert_elements(rets[1].as.tensor, (const float[4]){5, 6, 7, 8}, 4);
  tenon_value_clear_n(rets, 2);
  tenon_value_clear(&parts);
  tenon_tensor_release(other);
  tenon_tensor_release(sum);
  tenon_tensor_release(joined);
  tenon_tensor_release(x);
  tenon_graph_release(graph);
}

// Builds exp(x) + exp(x), an unused sin, and w * w of an attribute, by hand.
static tenon_graph* built(void) {
  tenon_graph* graph = NULL;
  int64_t x, w, first, second, unused, square, sum, result;
  tenon_tensor* weights = vector_of((const float[2]){2, 3}, 2);
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  assert_ok(tenon_graph_add_attribute(graph, weights, "w", &w));
  tenon_tensor_release(weights);
  const tenon_value ref_x = tenon_value_of_number(TENON_TAG_REF, x);
  const tenon_value ref_w = tenon_value_of_number(TENON_TAG_REF, w);
  assert_ok(tenon_graph_append(graph, find("aten::exp"), &ref_x, 1, &first));
  assert_ok(tenon_graph_append(graph, find("aten::exp"), &ref_x, 1, &second));
  assert_ok(tenon_graph_append(graph, find("aten::sin"), &ref_x, 1, &unused));
  const tenon_value squared[2] = {ref_w, ref_w};
  assert_ok(tenon_graph_append(graph, find("aten::mul.Tensor"), squared, 2, &square));
  tenon_value added[3] = {tenon_value_of_number(TENON_TAG_REF, first),
                          tenon_value_of_number(TENON_TAG_REF, second), tenon_value_of_int(1)};
  assert_ok(tenon_graph_append(graph, find("aten::add.Tensor"), added, 3, &sum));
  const tenon_value last[2] = {tenon_value_of_number(TENON_TAG_REF, sum),
                               tenon_value_of_number(TENON_TAG_REF, square)};
  assert_ok(tenon_graph_append(graph, find("aten::mul.Tensor"), last, 2, &result));
  const tenon_value output = tenon_value_of_number(TENON_TAG_REF, result);
  assert_ok(tenon_graph_add_output(graph, &output));
  return graph;
}

static void Append_WithoutLastArguments_TakesDefaults(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  int64_t x, y;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value args[2] = {tenon_value_of_number(TENON_TAG_REF, x), tenon_value_of_int(2)};
  assert_ok(tenon_graph_append(graph, find("aten::add.Tensor"), args, 2, &y));
  assert_int_equal(node_of(graph, 0).nargs, 3);
  assert_int_equal(node_of(graph, 0).args[2].as.i, 1);
  assert_error(tenon_graph_append(graph, find("aten::add.Tensor"), args, 1, &y),
               TENON_ERROR_INVALID_ARGUMENT, "3 arguments, got 1");
  tenon_graph_release(graph);
}

static void Graph_Passes_LeaveTheResults(void** state) {
  (void)state;
  const struct {
    uint32_t passes;
    int64_t nodes;
  } cases[] = {
      {TENON_GRAPH_REMOVE_DEAD, 5},
      {TENON_GRAPH_MERGE_COMMON, 5},
      {TENON_GRAPH_FOLD_CONSTANTS, 5},
      {TENON_GRAPH_REMOVE_DEAD | TENON_GRAPH_MERGE_COMMON | TENON_GRAPH_FOLD_CONSTANTS, 3}};
  tenon_graph* graph = built();
  assert_int_equal(tenon_graph_node_count(graph), 6);
  assert_runs(graph, (const float[2]){0, 0}, (const float[2]){8, 18}, 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tenon_graph* changed = NULL;
    assert_ok(tenon_graph_transform(graph, cases[i].passes, &changed));
    assert_int_equal(tenon_graph_node_count(changed), cases[i].nodes);
    assert_runs(changed, (const float[2]){0, 0}, (const float[2]){8, 18}, 2);
    tenon_graph_release(changed);
  }
  tenon_graph_release(graph);
}

// y = exp(x); z = exp(x); y += 1; return z: the two exp are not merged, and the write is not
// removed.
static void Graph_Passes_RespectWrites(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  int64_t x, y, z;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value ref_x = tenon_value_of_number(TENON_TAG_REF, x);
  assert_ok(tenon_graph_append(graph, find("aten::exp"), &ref_x, 1, &y));
  assert_ok(tenon_graph_append(graph, find("aten::exp"), &ref_x, 1, &z));
  const tenon_value add[3] = {tenon_value_of_number(TENON_TAG_REF, y), tenon_value_of_int(1),
                              tenon_value_of_int(1)};
  assert_ok(tenon_graph_append(graph, find("aten::add_.Tensor"), add, 3, NULL));
  const tenon_value output = tenon_value_of_number(TENON_TAG_REF, z);
  assert_ok(tenon_graph_add_output(graph, &output));
  tenon_graph* changed = NULL;
  assert_ok(
      tenon_graph_transform(graph, TENON_GRAPH_REMOVE_DEAD | TENON_GRAPH_MERGE_COMMON, &changed));
  assert_int_equal(tenon_graph_node_count(changed), 3);
  assert_runs(changed, (const float[2]){0, 0}, (const float[2]){1, 1}, 2);
  tenon_graph_release(changed);
  tenon_graph_release(graph);
}

static char* text_of(const tenon_graph* graph) {
  tenon_buffer* text = NULL;
  assert_ok(tenon_graph_print(graph, &text));
  char* copy = strdup(tenon_buffer_data(text));
  tenon_buffer_release(text);
  return copy;
}

// y = exp(x); y[1] += 1; x *= 2; return y.
static tenon_graph* writing(void) {
  tenon_graph* graph = NULL;
  int64_t x, y, view;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value ref_x = tenon_value_of_number(TENON_TAG_REF, x);
  assert_ok(tenon_graph_append(graph, find("aten::exp"), &ref_x, 1, &y));
  const tenon_value select[3] = {tenon_value_of_number(TENON_TAG_REF, y), tenon_value_of_int(0),
                                 tenon_value_of_int(1)};
  assert_ok(tenon_graph_append(graph, find("aten::select.int"), select, 3, &view));
  const tenon_value add[3] = {tenon_value_of_number(TENON_TAG_REF, view), tenon_value_of_int(1),
                              tenon_value_of_int(1)};
  assert_ok(tenon_graph_append(graph, find("aten::add_.Scalar"), add, 3, NULL));
  const tenon_value mul[2] = {ref_x, tenon_value_of_int(2)};
  assert_ok(tenon_graph_append(graph, find("aten::mul_.Scalar"), mul, 2, NULL));
  const tenon_value output = tenon_value_of_number(TENON_TAG_REF, y);
  assert_ok(tenon_graph_add_output(graph, &output));
  return graph;
}

static void Graph_Functionalize_WritesInputsAtTheEndAlone(void** state) {
  (void)state;
  tenon_graph* graph = writing();
  tenon_graph* pure = NULL;
  assert_ok(tenon_graph_functionalize(graph, 0, &pure));
  char* text = text_of(pure);
  assert_null(strstr(text, "aten::add_."));
  assert_null(strstr(text, "aten::mul_."));
  assert_non_null(strstr(text, "aten::select_scatter("));
  assert_non_null(strstr(text, "aten::copy_("));
  free(text);
  assert_runs(pure, (const float[2]){0, 0}, (const float[2]){1, 2}, 2);
  tenon_graph_release(pure);
  tenon_graph_release(graph);
}

static void Graph_Text_ReadsBack(void** state) {
  (void)state;
  tenon_graph* graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD);
  char* text = text_of(graph);
  assert_non_null(strstr(text, "tenon.graph 1\n"));
  assert_non_null(strstr(text, "input x = %0: float32[2] cpu\n"));
  assert_non_null(strstr(text, "attribute w0 = %1: float32[2] cpu\n"));
  assert_non_null(strstr(text, "%2: float32[2] cpu = aten::mul.Tensor(%0, %1)\n"));
  assert_non_null(strstr(text, "return %4\n"));
  tenon_tensor* weights = vector_of((const float[2]){2, -3}, 2);
  tenon_graph* again = NULL;
  assert_ok(tenon_graph_parse(text, (int64_t)strlen(text), &weights, 1, &again));
  char* printed = text_of(again);
  assert_string_equal(printed, text);
  assert_runs(again, (const float[2]){3, -1}, (const float[2]){9, 2}, 2);
  tenon_graph_release(again);
  assert_error(tenon_graph_parse(text, (int64_t)strlen(text), NULL, 0, &again),
               TENON_ERROR_INVALID_ARGUMENT, "attributes");
  assert_null(again);
  free(printed);
  free(text);
  tenon_tensor_release(weights);
  tenon_graph_release(graph);
}

static void parse_fails(const char* text, tenon_status code, const char* message) {
  tenon_graph* graph = NULL;
  assert_error(tenon_graph_parse(text, (int64_t)strlen(text), NULL, 0, &graph), code, message);
  assert_null(graph);
}

#define OP_EXP "tenon.graph 1\nop aten::exp(Tensor self) -> Tensor\ninput x = %0\n"

static void Graph_MalformedText_IsRefused(void** state) {
  (void)state;
  parse_fails("", TENON_ERROR_PARSE, "tenon.graph 1");
  parse_fails("tenon.graph 4\nreturn\n", TENON_ERROR_PARSE, "tenon.graph 1");
  parse_fails("tenon.graph 1\n", TENON_ERROR_PARSE, "return");
  parse_fails("tenon.graph 1\nreturn\nreturn\n", TENON_ERROR_PARSE, "line 3");
  parse_fails("tenon.graph 1\nreturn %0\n", TENON_ERROR_INDEX, "%0");
  parse_fails("tenon.graph 1\ninput x = %1\nreturn\n", TENON_ERROR_PARSE, "%0");
  parse_fails("tenon.graph 1\ninput 1x = %0\nreturn\n", TENON_ERROR_INVALID_ARGUMENT, "identifier");
  parse_fails(OP_EXP "%1 = aten::sin(%0)\nreturn %1\n", TENON_ERROR_PARSE, "'op' line");
  parse_fails(OP_EXP "%1 = aten::exp(%1)\nreturn %1\n", TENON_ERROR_INDEX, "%1");
  parse_fails(OP_EXP "%1 = aten::exp()\nreturn %1\n", TENON_ERROR_PARSE, "self");
  parse_fails(OP_EXP "%1 = aten::exp(%0, self=%0)\nreturn %1\n", TENON_ERROR_PARSE, "once");
  parse_fails(OP_EXP "%1 = aten::exp('a')\nreturn %1\n", TENON_ERROR_TYPE, "self must be Tensor");
  parse_fails(OP_EXP "%1, %2 = aten::exp(%0)\nreturn %1\n", TENON_ERROR_PARSE, "1 results");
  parse_fails(OP_EXP "%1 = %0[0]\nreturn %1\n", TENON_ERROR_TYPE, "list");
  parse_fails("tenon.graph 1\nop no::such(Tensor x) -> ()\nop no::other() -> ()\nreturn\n",
              TENON_ERROR_NOT_FOUND, "no::such, no::other");
  parse_fails("tenon.graph 1\nop aten::exp(Tensor self, int n) -> Tensor\nreturn\n",
              TENON_ERROR_TYPE, "aten::exp");
}

static void Graph_File_HoldsAll(void** state) {
  (void)state;
  char path[] = "/tmp/tenon_graph_XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  tenon_graph *graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD), *again = NULL;
  // [quote.begin file]
  assert_ok(tenon_graph_save(graph, path));
  assert_ok(tenon_graph_load(path, &again));
  // [quote.end]
  char *text = text_of(graph), *loaded = text_of(again);
  assert_string_equal(loaded, text);
  assert_runs(again, (const float[2]){3, -1}, (const float[2]){9, 2}, 2);
  free(text);
  free(loaded);
  tenon_graph_release(graph);
  tenon_graph_release(again);
  unlink(path);
  assert_error(tenon_graph_load(path, &again), TENON_ERROR_SYSTEM, path);
  assert_error(tenon_graph_save(again, path), TENON_ERROR_INVALID_ARGUMENT, "graph");
}

// A file that is truncated anywhere, or has any byte changed, loads as a graph or fails with an
// error.
static void Graph_MalformedFile_IsRefused(void** state) {
  (void)state;
  tenon_graph *graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD), *again = NULL;
  tenon_buffer* bytes = NULL;
  assert_ok(tenon_graph_write(graph, &bytes));
  const int64_t size = tenon_buffer_size(bytes);
  unsigned char* copy = malloc((size_t)size);
  for (int64_t length = 0; length < size; ++length) {
    memcpy(copy, tenon_buffer_data(bytes), (size_t)length);
    assert_int_not_equal(tenon_graph_read(copy, length, &again), TENON_OK);
    assert_null(again);
    tenon_error_release(tenon_error_take());
  }
  for (int64_t at = 0; at < size; ++at) {
    memcpy(copy, tenon_buffer_data(bytes), (size_t)size);
    copy[at] ^= 0x15;
    if (tenon_graph_read(copy, size, &again) != TENON_OK) tenon_error_release(tenon_error_take());
    tenon_graph_release(again);
  }
  free(copy);
  tenon_buffer_release(bytes);
  tenon_graph_release(graph);
}

// Python wrote it.
static void Graph_OfPython_Runs(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_load(CONFORMANCE_GRAPHS "/block.safetensors", &graph));
  const int64_t sizes[2] = {1, 2};
  tenon_tensor* x = NULL;
  void* data = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &x));
  assert_ok(tenon_tensor_data(x, &data));
  memcpy(data, (const float[2]){1, 2}, 2 * sizeof(float));
  tenon_value arg = tenon_value_of_tensor(x), rets[2] = {{0}, {0}};
  tenon_stack stack = {.args = &arg, .rets = rets, .nargs = 1, .nrets = 2};
  assert_ok(tenon_graph_run(graph, &stack));
  assert_elements(rets[0].as.tensor, (const float[1]){11}, 1);
  assert_int_equal(tenon_tensor_dtype(rets[1].as.tensor), TENON_DTYPE_I64);
  tenon_value_clear_n(rets, 2);
  tenon_tensor_release(x);
  tenon_graph_release(graph);
}

static void Graph_Defined_IsAnOperator(void** state) {
  (void)state;
  tenon_graph* graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD);
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "graphs", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_graph_define(graph, library, "graphs::block", &op));
  tenon_graph_release(graph);
  assert_string_equal(tenon_op_name(op), "graphs::block");
  tenon_tensor* x = vector_of((const float[2]){3, -1}, 2);
  tenon_tensor* y = unary("graphs::block", x);
  assert_elements(y, (const float[2]){9, 2}, 2);
  tenon_tensor_release(x);
  tenon_tensor_release(y);
  tenon_library_close(library);
  tenon_library_release(library);
}

// A graph may depend on the sizes of its example inputs, so it refuses others unless the caller
// allows them.
static void Graph_OtherSizes_AreRefused(void** state) {
  (void)state;
  tenon_graph* graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD);
  tenon_tensor* three = vector_of((float[3]){0}, 3);
  tenon_value ret;
  assert_int_equal(run(graph, &three, 1, &ret), TENON_ERROR_INVALID_ARGUMENT);
  tenon_error* error = tenon_error_take();
  assert_non_null(strstr(tenon_error_message(error), "x must be of size 2, at dim 0, got 3"));
  tenon_error_release(error);
  tenon_tensor_release(three);
  tenon_graph_release(graph);
}

// The error of a failed run names the node; results of earlier nodes are freed.
static void Graph_RunFails_TellsTheNode(void** state) {
  (void)state;
  tenon_graph* graph = recorded(TENON_GRAPH_BELOW_AUTOGRAD | TENON_GRAPH_ANY_SIZES);
  tenon_tensor* three = vector_of((float[3]){0}, 3);
  tenon_value ret;
  assert_int_equal(run(graph, &three, 1, &ret), TENON_ERROR_INVALID_ARGUMENT);
  tenon_error* error = tenon_error_take();
  assert_non_null(strstr(tenon_error_format(error), "in node 0 of a graph, aten::mul.Tensor"));
  tenon_error_release(error);
  tenon_value arg = tenon_value_of_int(1);
  tenon_stack stack = {.args = &arg, .rets = &ret, .nargs = 1, .nrets = 1};
  assert_error(tenon_graph_run(graph, &stack), TENON_ERROR_TYPE, "x must be a tensor");
  stack.nargs = 0;
  assert_error(tenon_graph_run(graph, &stack), TENON_ERROR_INVALID_ARGUMENT, "1 inputs");
  tenon_tensor_release(three);
  tenon_graph_release(graph);
}

static int nothing_is_left(void** state) {
  (void)state;
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_GRAPH), 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Graph_Recorded_TellsItsCalls),
      cmocka_unit_test(Graph_Values_TellWhatIsKnown),
      cmocka_unit_test(Graph_Run_GivesWhatTheCallsGive),
      cmocka_unit_test(Graph_FailedCall_LeavesNothing),
      cmocka_unit_test(Recording_Nested_RecordsInnermostOnly),
      cmocka_unit_test(Recording_Strict_RefusesNumbersOfTensors),
      cmocka_unit_test(Recording_AboveAutograd_KeepsComposites),
      cmocka_unit_test(Recording_ThreadState_RecordsThere),
      cmocka_unit_test(Graph_ListsAndSeveralResults_AreValues),
      cmocka_unit_test(Append_WithoutLastArguments_TakesDefaults),
      cmocka_unit_test(Graph_Passes_LeaveTheResults),
      cmocka_unit_test(Graph_Passes_RespectWrites),
      cmocka_unit_test(Graph_Functionalize_WritesInputsAtTheEndAlone),
      cmocka_unit_test(Graph_Text_ReadsBack),
      cmocka_unit_test(Graph_MalformedText_IsRefused),
      cmocka_unit_test(Graph_File_HoldsAll),
      cmocka_unit_test(Graph_MalformedFile_IsRefused),
      cmocka_unit_test(Graph_OfPython_Runs),
      cmocka_unit_test(Graph_Defined_IsAnOperator),
      cmocka_unit_test(Graph_OtherSizes_AreRefused),
      cmocka_unit_test(Graph_RunFails_TellsTheNode),
  };
  return cmocka_run_group_tests(tests, NULL, nothing_is_left);
}
