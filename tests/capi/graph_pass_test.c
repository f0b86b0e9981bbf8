// SPDX-License-Identifier: Apache-2.0
// Transformed graphs from C: custom passes, pattern replacement, checks, inferred values, and
// source locations of nodes.
#include "support.h"

#include <stdlib.h>

static const tenon_op* find(const char* name) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  return op;
}

static tenon_value ref(int64_t value) { return tenon_value_of_number(TENON_TAG_REF, value); }

static tenon_graph* new_graph(void) {
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_new(&graph));
  return graph;
}

static int64_t input(tenon_graph* graph, const char* name) {
  int64_t value = -1;
  assert_ok(tenon_graph_add_input(graph, NULL, name, &value));
  return value;
}

// Adds an input with two elements.
static int64_t known_input(tenon_graph* graph, const char* name) {
  tenon_tensor* like = vector_of((const float[2]){0, 0}, 2);
  int64_t value = -1;
  assert_ok(tenon_graph_add_input(graph, like, name, &value));
  tenon_tensor_release(like);
  return value;
}

static int64_t unary(tenon_graph* graph, const char* name, int64_t x) {
  const tenon_value args[1] = {ref(x)};
  int64_t value = -1;
  assert_ok(tenon_graph_append(graph, find(name), args, 1, &value));
  return value;
}
static int64_t binary(tenon_graph* graph, const char* name, int64_t x, tenon_value y) {
  const tenon_value args[2] = {ref(x), y};
  int64_t value = -1;
  assert_ok(tenon_graph_append(graph, find(name), args, 2, &value));
  return value;
}
static int64_t add(tenon_graph* graph, int64_t x, tenon_value y) {
  const tenon_value args[3] = {ref(x), y, tenon_value_of_int(1)};
  int64_t value = -1;
  assert_ok(tenon_graph_append(graph, find("aten::add.Tensor"), args, 3, &value));
  return value;
}
static int64_t add_in_place(tenon_graph* graph, int64_t x, tenon_value y) {
  const tenon_value args[3] = {ref(x), y, tenon_value_of_int(1)};
  int64_t value = -1;
  assert_ok(tenon_graph_append(graph, find("aten::add_.Tensor"), args, 3, &value));
  return value;
}
static void output(tenon_graph* graph, int64_t value) {
  const tenon_value given = ref(value);
  assert_ok(tenon_graph_add_output(graph, &given));
}

// Returns the operators of a graph: "mul.Tensor relu add.Tensor".
static const char* names_of(const tenon_graph* graph) {
  static char text[512];
  text[0] = '\0';
  for (int64_t i = 0; i < tenon_graph_node_count(graph); ++i) {
    tenon_graph_node node = {.struct_size = sizeof node};
    assert_ok(tenon_graph_get_node(graph, i, &node));
    const char* name = tenon_op_name(node.op);
    const char* behind = strstr(name, "::");
    if (i != 0) strcat(text, " ");
    strcat(text, behind != NULL ? behind + 2 : name);
  }
  return text;
}

// Runs a graph with one output on vectors of two elements.
static void assert_runs(tenon_graph* graph, const float* x, const float* y, const float* expected) {
  tenon_tensor* given[2] = {vector_of(x, 2), y != NULL ? vector_of(y, 2) : NULL};
  tenon_value args[2];
  const uint32_t count = y != NULL ? 2 : 1;
  for (uint32_t i = 0; i < count; ++i) args[i] = tenon_value_of_tensor(given[i]);
  tenon_value ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .rets = &ret, .nargs = count, .nrets = 1};
  assert_ok(tenon_graph_run(graph, &stack));
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(ret.as.tensor, &info));
  for (int i = 0; i < 2; ++i) assert_float_equal(((float*)info.data)[i], expected[i], 1e-5);
  tenon_value_clear(&ret);
  for (uint32_t i = 0; i < count; ++i) tenon_tensor_release(given[i]);
}

static tenon_graph* replaced(const tenon_graph* graph, const tenon_graph* pattern,
                             const tenon_graph* replacement, uint32_t flags, int64_t count) {
  int64_t found = -1;
  tenon_graph* made = NULL;
  assert_ok(tenon_graph_replace_pattern(graph, pattern, replacement, flags, &found, &made));
  assert_int_equal(found, count);
  return made;
}

// ---- Patterns -----------------------------------------------------------------------------------

// relu(x * y)
static tenon_graph* relu_of_product(void) {
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x"), y = input(graph, "y");
  output(graph, unary(graph, "aten::relu", binary(graph, "aten::mul.Tensor", x, ref(y))));
  return graph;
}

// x + abs(y)
static tenon_graph* sum_with_abs(void) {
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x"), y = input(graph, "y");
  output(graph, add(graph, x, ref(unary(graph, "aten::abs", y))));
  return graph;
}

static void Pattern_EachMatch_IsReplaced(void** state) {
  (void)state;
  // relu(relu(x * y) * y): two matches, the second on the result of the first.
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x"), y = input(graph, "y");
  const int64_t first = unary(graph, "aten::relu", binary(graph, "aten::mul.Tensor", x, ref(y)));
  output(graph, unary(graph, "aten::relu", binary(graph, "aten::mul.Tensor", first, ref(y))));
  tenon_graph *pattern = relu_of_product(), *replacement = sum_with_abs();
  // [quote.begin pattern]
  int64_t count = 0;
  tenon_graph* made = NULL;
  assert_ok(tenon_graph_replace_pattern(graph, pattern, replacement, 0, &count, &made));
  assert_int_equal(count, 2);
  // [quote.end]
  assert_string_equal(names_of(made), "abs add.Tensor abs add.Tensor");
  assert_runs(made, (const float[2]){1, 2}, (const float[2]){-3, 4}, (const float[2]){7, 10});
  assert_string_equal(names_of(graph), "mul.Tensor relu mul.Tensor relu");
  tenon_graph_release(made);
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
  tenon_graph_release(graph);
}

static void Pattern_InnerResultUsedElsewhere_IsNoMatch(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x"), y = input(graph, "y");
  const int64_t product = binary(graph, "aten::mul.Tensor", x, ref(y));
  output(graph, add(graph, unary(graph, "aten::relu", product), ref(product)));
  tenon_graph *pattern = relu_of_product(), *replacement = sum_with_abs();
  tenon_graph* made = replaced(graph, pattern, replacement, 0, 0);
  assert_string_equal(names_of(made), "mul.Tensor relu add.Tensor");
  tenon_graph_release(made);
  // It may be used outside the match if it is an output of the pattern.
  output(pattern, tenon_graph_value_count(pattern) - 2);
  output(replacement, tenon_graph_input_value(replacement, 0));
  made = replaced(graph, pattern, replacement, 0, 1);
  assert_string_equal(names_of(made), "abs add.Tensor add.Tensor");
  assert_runs(made, (const float[2]){1, 2}, (const float[2]){-3, 4}, (const float[2]){5, 8});
  tenon_graph_release(made);
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
  tenon_graph_release(graph);
}

static void Pattern_ResultThatIsAnOutputOfTheGraph_IsNoMatch(void** state) {
  (void)state;
  tenon_graph* graph = relu_of_product();
  output(graph, 2);
  tenon_graph *pattern = relu_of_product(), *replacement = sum_with_abs();
  tenon_graph_release(replaced(graph, pattern, replacement, 0, 0));
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
  tenon_graph_release(graph);
}

// x * c + c2
static tenon_graph* scaled(tenon_value c, double offset) {
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x");
  output(graph, add(graph, binary(graph, "aten::mul.Tensor", x, c), tenon_value_of_float(offset)));
  return graph;
}

static void Pattern_Constants_MatchEqualOnesOrAny(void** state) {
  (void)state;
  tenon_graph* graph = scaled(tenon_value_of_int(2), 1);
  tenon_graph *other = scaled(tenon_value_of_int(3), 1), *same = scaled(tenon_value_of_int(2), 1);
  tenon_graph* replacement = new_graph();
  output(replacement, unary(replacement, "aten::exp", input(replacement, "x")));
  tenon_graph_release(replaced(graph, other, replacement, 0, 0));
  tenon_graph* made = replaced(graph, same, replacement, 0, 1);
  assert_string_equal(names_of(made), "exp");
  tenon_graph_release(made);
  made = replaced(graph, other, replacement, TENON_GRAPH_IGNORE_LITERALS, 1);
  assert_string_equal(names_of(made), "exp");
  tenon_graph_release(made);
  tenon_graph_release(replacement);
  tenon_graph_release(same);
  tenon_graph_release(other);
  tenon_graph_release(graph);
}

// An input of a pattern also matches a number in place of a tensor.
static void Pattern_Input_MatchesANumber(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x");
  output(graph,
         unary(graph, "aten::relu", binary(graph, "aten::mul.Tensor", x, tenon_value_of_int(3))));
  tenon_graph *pattern = relu_of_product(), *replacement = new_graph();
  const int64_t a = input(replacement, "a"), b = input(replacement, "b");
  output(replacement, add(replacement, a, ref(b)));
  tenon_graph* made = replaced(graph, pattern, replacement, 0, 1);
  assert_runs(made, (const float[2]){1, -2}, NULL, (const float[2]){4, 1});
  tenon_graph_release(made);
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
  tenon_graph_release(graph);
}

// An input that a pattern uses twice matches only one value.
static void Pattern_InputUsedTwice_IsOneValue(void** state) {
  (void)state;
  tenon_graph *square = new_graph(), *replacement = new_graph();
  const int64_t x = input(square, "x");
  output(square, binary(square, "aten::mul.Tensor", x, ref(x)));
  output(replacement, unary(replacement, "aten::square", input(replacement, "x")));
  tenon_graph* graph = new_graph();
  const int64_t a = input(graph, "a"), b = input(graph, "b");
  const int64_t ab = binary(graph, "aten::mul.Tensor", a, ref(b));
  output(graph, binary(graph, "aten::mul.Tensor", ab, ref(ab)));
  tenon_graph* made = replaced(graph, square, replacement, 0, 1);
  assert_string_equal(names_of(made), "mul.Tensor square");
  tenon_graph_release(made);
  tenon_graph_release(graph);
  tenon_graph_release(replacement);
  tenon_graph_release(square);
}

static void Pattern_OverlappingMatches_TheFirstOneIsReplaced(void** state) {
  (void)state;
  tenon_graph *pattern = new_graph(), *replacement = new_graph(), *graph = new_graph();
  output(pattern, unary(pattern, "aten::exp", unary(pattern, "aten::exp", input(pattern, "x"))));
  output(replacement, unary(replacement, "aten::abs", input(replacement, "x")));
  int64_t x = input(graph, "x");
  for (int i = 0; i < 5; ++i) x = unary(graph, "aten::exp", x);
  output(graph, x);
  tenon_graph* made = replaced(graph, pattern, replacement, 0, 2);
  assert_string_equal(names_of(made), "abs abs exp");
  tenon_graph_release(made);
  tenon_graph_release(graph);
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
}

// t = x * y; x += 1; return relu(t): the product cannot be computed at the position of relu.
static void Pattern_WriteBetween_IsNoMatch(void** state) {
  (void)state;
  tenon_graph *pattern = relu_of_product(), *replacement = sum_with_abs();
  for (int writes_it = 0; writes_it < 2; ++writes_it) {
    tenon_graph* graph = new_graph();
    const int64_t x = input(graph, "x"), y = input(graph, "y");
    const int64_t product = binary(graph, "aten::mul.Tensor", x, ref(y));
    const int64_t other = unary(graph, "aten::exp", y);
    add_in_place(graph, writes_it ? x : other, tenon_value_of_int(1));
    output(graph, unary(graph, "aten::relu", product));
    tenon_graph_release(replaced(graph, pattern, replacement, 0, writes_it ? 0 : 1));
    tenon_graph_release(graph);
  }
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
}

// Two outputs, the first of which is used before the second is computed.
static void Pattern_OutputUsedBetween_GoesWhereItIsUsed(void** state) {
  (void)state;
  tenon_graph *pattern = new_graph(), *replacement = new_graph(), *graph = new_graph();
  int64_t x = input(pattern, "x");
  output(pattern, unary(pattern, "aten::exp", x));
  output(pattern, unary(pattern, "aten::abs", x));
  x = input(replacement, "x");
  output(replacement, unary(replacement, "aten::neg", x));
  output(replacement, x);
  x = input(graph, "x");
  const int64_t first = unary(graph, "aten::sqrt", unary(graph, "aten::exp", x));
  output(graph, add(graph, unary(graph, "aten::abs", x), ref(first)));
  tenon_graph* made = replaced(graph, pattern, replacement, 0, 1);
  assert_string_equal(names_of(made), "neg sqrt add.Tensor");
  assert_runs(made, (const float[2]){-4, -9}, NULL, (const float[2]){-2, -6});
  tenon_graph_release(made);
  // No match if the replacement needs a value that is only computed after its place.
  tenon_graph* pair = new_graph();
  const int64_t a = input(pair, "a"), b = input(pair, "b");
  output(pair, unary(pair, "aten::exp", a));
  output(pair, unary(pair, "aten::abs", b));
  tenon_graph* swapped = new_graph();
  const int64_t c = input(swapped, "c"), d = input(swapped, "d");
  output(swapped, unary(swapped, "aten::neg", c));
  output(swapped, unary(swapped, "aten::neg", d));
  tenon_graph* chain = new_graph();
  x = input(chain, "x");
  output(chain,
         unary(chain, "aten::abs", unary(chain, "aten::sqrt", unary(chain, "aten::exp", x))));
  tenon_graph_release(replaced(chain, pair, swapped, 0, 0));
  tenon_graph_release(chain);
  tenon_graph_release(swapped);
  tenon_graph_release(pair);
  tenon_graph_release(graph);
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
}

// Matching exp(x) and abs(y) in abs(exp(x)) would bind y to a value that is replaced.
static void Pattern_InputFromTheMatchItself_IsNoMatch(void** state) {
  (void)state;
  tenon_graph *pattern = new_graph(), *graph = new_graph();
  const int64_t x = input(pattern, "x"), y = input(pattern, "y");
  output(pattern, unary(pattern, "aten::exp", x));
  output(pattern, unary(pattern, "aten::abs", y));
  const int64_t product = unary(graph, "aten::exp", input(graph, "x"));
  output(graph, product);
  output(graph, unary(graph, "aten::abs", product));
  tenon_graph_release(replaced(graph, pattern, pattern, 0, 0));
  tenon_graph_release(graph);
  tenon_graph_release(pattern);
}

// split returns a list; the pattern's output is one element of it.
static void Pattern_ElementsOfLists_Match(void** state) {
  (void)state;
  tenon_graph* graphs[2];
  for (int i = 0; i < 2; ++i) {
    tenon_graph* graph = graphs[i] = new_graph();
    const tenon_value args[3] = {ref(input(graph, "x")), tenon_value_of_int(1),
                                 tenon_value_of_int(0)};
    int64_t list = -1, one = -1, two = -1;
    assert_ok(tenon_graph_append(graph, find("aten::split.Tensor"), args, 3, &list));
    assert_ok(tenon_graph_add_element(graph, list, 1, &one));
    output(graph, i == 0 ? unary(graph, "aten::exp", one) : one);
    if (i == 0) continue;
    // A match where another element is used elsewhere.
    tenon_graph* more = new_graph();
    const tenon_value same[3] = {ref(input(more, "x")), args[1], args[2]};
    assert_ok(tenon_graph_append(more, find("aten::split.Tensor"), same, 3, &list));
    assert_ok(tenon_graph_add_element(more, list, 1, &one));
    assert_ok(tenon_graph_add_element(more, list, 0, &two));
    output(more, add(more, one, ref(two)));
    tenon_graph* replacement = new_graph();
    output(replacement, unary(replacement, "aten::neg", input(replacement, "x")));
    tenon_graph_release(replaced(more, graph, replacement, 0, 0));
    tenon_graph* made = replaced(graphs[0], graph, replacement, 0, 1);
    assert_string_equal(names_of(made), "neg exp");
    tenon_graph_release(made);
    tenon_graph_release(replacement);
    tenon_graph_release(more);
  }
  tenon_graph_release(graphs[0]);
  tenon_graph_release(graphs[1]);
}

static void Pattern_AttributesOfTheReplacement_AreSharedOnce(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_tensor* weights = vector_of((const float[2]){10, 20}, 2);
  tenon_graph *pattern = new_graph(), *replacement = new_graph(), *graph = new_graph();
  output(pattern, unary(pattern, "aten::exp", input(pattern, "x")));
  int64_t w = -1;
  assert_ok(tenon_graph_add_attribute(replacement, weights, "w", &w));
  output(replacement, binary(replacement, "aten::mul.Tensor", input(replacement, "x"), ref(w)));
  output(graph, unary(graph, "aten::exp", unary(graph, "aten::exp", input(graph, "x"))));
  tenon_graph* made = replaced(graph, pattern, replacement, 0, 2);
  assert_int_equal(tenon_graph_attribute_count(made), 1);
  assert_runs(made, (const float[2]){1, 2}, NULL, (const float[2]){100, 800});
  tenon_graph_release(made);
  tenon_graph_release(graph);
  tenon_graph_release(replacement);
  tenon_graph_release(pattern);
  tenon_tensor_release(weights);
  assert_nothing_left(before);
}

static void Pattern_ThatCannotBeSearchedFor_IsRefused(void** state) {
  (void)state;
  tenon_graph *graph = relu_of_product(), *replacement = sum_with_abs(), *empty = new_graph();
  tenon_graph* made = NULL;
  assert_error(tenon_graph_replace_pattern(graph, empty, empty, 0, NULL, &made),
               TENON_ERROR_INVALID_ARGUMENT, "pattern must contain calls");
  assert_null(made);
  tenon_graph* one = new_graph();
  output(one, unary(one, "aten::exp", input(one, "x")));
  assert_error(tenon_graph_replace_pattern(graph, one, replacement, 0, NULL, &made),
               TENON_ERROR_INVALID_ARGUMENT, "1 inputs, got 2");
  const int64_t unused = input(one, "unused");
  assert_error(tenon_graph_replace_pattern(graph, one, replacement, 0, NULL, &made),
               TENON_ERROR_INVALID_ARGUMENT, "input unused of the pattern");
  (void)unused;
  tenon_graph* through = relu_of_product();
  output(through, 0);
  output(replacement, 0);
  assert_error(tenon_graph_replace_pattern(graph, through, replacement, 0, NULL, &made),
               TENON_ERROR_INVALID_ARGUMENT, "output 1 of the pattern");
  tenon_graph_release(through);
  tenon_graph_release(one);
  tenon_graph_release(empty);
  tenon_graph_release(replacement);
  tenon_graph_release(graph);
}

static void Graph_BuiltByHand_Runs(void** state) {
  (void)state;
  const tenon_op* const mul = find("aten::mul.Tensor");
  // [quote.begin build]
  tenon_graph* graph = NULL;
  int64_t x, square, product;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const tenon_value twice[2] = {tenon_value_of_number(TENON_TAG_REF, x),
                                tenon_value_of_number(TENON_TAG_REF, x)};
  assert_ok(tenon_graph_append(graph, mul, twice, 2, &square));
  const tenon_value scaled[2] = {tenon_value_of_number(TENON_TAG_REF, square),
                                 tenon_value_of_int(10)};
  assert_ok(tenon_graph_append(graph, mul, scaled, 2, &product));
  const tenon_value result = tenon_value_of_number(TENON_TAG_REF, product);
  assert_ok(tenon_graph_add_output(graph, &result));
  // [quote.end]
  assert_runs(graph, (const float[2]){1, -2}, NULL, (const float[2]){10, 40});
  tenon_graph_release(graph);
}

// ---- User-defined passes ------------------------------------------------------------------------

// [quote.begin rewrite]
// A pass: x * x becomes square(x), and relu(x) is left out.
static tenon_status simplify(void* ctx, const tenon_graph* from, int64_t index,
                             const tenon_value* args, tenon_graph* to, tenon_value* results) {
  (void)ctx;
  tenon_graph_node node = {.struct_size = sizeof node};
  const tenon_status status = tenon_graph_get_node(from, index, &node);
  if (status != TENON_OK) return status;
  if (strcmp(tenon_op_name(node.op), "aten::relu") == 0) {
    results[0] = args[0];
    return TENON_OK;
  }
  if (strcmp(tenon_op_name(node.op), "aten::mul.Tensor") != 0) return TENON_DECLINED;
  if (args[1].tag != TENON_TAG_REF || args[0].as.i != args[1].as.i) return TENON_DECLINED;
  results[0] = tenon_value_of_number(TENON_TAG_REF, 0);
  return tenon_graph_append(to, find("aten::square"), args, 1, &results[0].as.i);
}
// [quote.end]

static void Rewrite_Pass_KeepsReplacesAndDrops(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const int64_t x = known_input(graph, "x");
  const int64_t product = binary(graph, "aten::mul.Tensor", x, ref(x));
  output(graph, add(graph, unary(graph, "aten::relu", product), ref(x)));
  tenon_graph* made = NULL;
  // [quote.begin rewriting]
  assert_ok(tenon_graph_rewrite(graph, simplify, NULL, &made));
  // [quote.end]
  assert_string_equal(names_of(made), "square add.Tensor");
  assert_runs(made, (const float[2]){2, -3}, NULL, (const float[2]){6, 6});
  assert_string_equal(names_of(graph), "mul.Tensor relu add.Tensor");
  tenon_graph_release(made);
  tenon_graph_release(graph);
}

static tenon_status drop_all(void* ctx, const tenon_graph* from, int64_t index,
                             const tenon_value* args, tenon_graph* to, tenon_value* results) {
  (void)from, (void)index, (void)args, (void)to;
  if (ctx != NULL) results[0] = *(const tenon_value*)ctx;
  return TENON_OK;
}

static void Rewrite_DroppedCall_MustNotBeUsed(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x");
  output(graph, unary(graph, "aten::exp", unary(graph, "aten::abs", x)));
  tenon_graph* made = NULL;
  assert_error(tenon_graph_rewrite(graph, drop_all, NULL, &made), TENON_ERROR_STATE,
               "value 1 must not be used, as its call was removed");
  assert_null(made);
  // A number replaces a tensor, as an argument and as an output.
  tenon_value number = tenon_value_of_int(4);
  assert_ok(tenon_graph_rewrite(graph, drop_all, &number, &made));
  assert_int_equal(tenon_graph_node_count(made), 0);
  assert_int_equal(tenon_graph_peek_output(made, 0)->as.i, 4);
  tenon_graph_release(made);
  // A tensor is accepted too and becomes an attribute; a string is not.
  tenon_tensor* tensor = vector_of((const float[2]){1, 2}, 2);
  number = tenon_value_of_tensor(tensor);
  assert_ok(tenon_graph_rewrite(graph, drop_all, &number, &made));
  assert_int_equal(tenon_graph_attribute_count(made), 1);
  tenon_graph_release(made);
  tenon_tensor_release(tensor);
  number = value_text("no");
  assert_error(tenon_graph_rewrite(graph, drop_all, &number, &made), TENON_ERROR_TYPE,
               "must be Tensor");
  number = ref(99);
  assert_error(tenon_graph_rewrite(graph, drop_all, &number, &made), TENON_ERROR_INDEX, "%99");
  tenon_graph_release(graph);
}

static tenon_status failing(void* ctx, const tenon_graph* from, int64_t index,
                            const tenon_value* args, tenon_graph* to, tenon_value* results) {
  (void)from, (void)args, (void)to, (void)results;
  if (index == 0) return TENON_DECLINED;
  return ctx != NULL ? tenon_error_raise(TENON_ERROR_RUNTIME, "no such pass") : TENON_ERROR_TYPE;
}

static void Rewrite_FailingPass_NamesTheNode(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  output(graph, unary(graph, "aten::exp", unary(graph, "aten::abs", input(graph, "x"))));
  tenon_graph* made = NULL;
  assert_int_equal(tenon_graph_rewrite(graph, failing, &made, &made), TENON_ERROR_RUNTIME);
  tenon_error* error = tenon_error_take();
  assert_string_equal(tenon_error_message(error), "no such pass");
  assert_string_equal(tenon_error_note(error, 0), "in node 1 of a graph, aten::exp");
  tenon_error_release(error);
  assert_error(tenon_graph_rewrite(graph, failing, NULL, &made), TENON_ERROR_TYPE,
               "without raising an error");
  tenon_graph_release(graph);
}

// Replaces a list by one value per element.
static tenon_status by_elements(void* ctx, const tenon_graph* from, int64_t index,
                                const tenon_value* args, tenon_graph* to, tenon_value* results) {
  static tenon_value elements[2];
  (void)ctx;
  tenon_graph_node node = {.struct_size = sizeof node};
  assert_ok(tenon_graph_get_node(from, index, &node));
  if (strcmp(tenon_op_name(node.op), "aten::split.Tensor") != 0) return TENON_DECLINED;
  for (int i = 0; i < 2; ++i) {
    const tenon_value slice[3] = {args[0], tenon_value_of_int(0), tenon_value_of_int(i)};
    elements[i] = ref(0);
    assert_ok(tenon_graph_append(to, find("aten::select.int"), slice, 3, &elements[i].as.i));
  }
  results[0] = tenon_value_of_elements(TENON_TAG_LIST, elements, 2);
  return TENON_OK;
}

static void Rewrite_List_IsReplacedByElements(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const tenon_value args[3] = {ref(input(graph, "x")), tenon_value_of_int(1),
                               tenon_value_of_int(0)};
  int64_t list = -1, one = -1, two = -1;
  assert_ok(tenon_graph_append(graph, find("aten::split.Tensor"), args, 3, &list));
  assert_ok(tenon_graph_add_element(graph, list, 0, &one));
  assert_ok(tenon_graph_add_element(graph, list, 1, &two));
  const tenon_value cat[2] = {ref(list), tenon_value_of_int(0)};
  int64_t whole = -1;
  assert_ok(tenon_graph_append(graph, find("aten::stack"), cat, 2, &whole));
  output(graph, add(graph, one, ref(two)));
  output(graph, whole);
  tenon_graph* made = NULL;
  assert_ok(tenon_graph_rewrite(graph, by_elements, NULL, &made));
  assert_string_equal(names_of(made), "select.int select.int stack add.Tensor");
  tenon_graph_release(made);
  tenon_graph_release(graph);
}

// ---- Users, checks, inference -------------------------------------------------------------------

static void Users_OfAValue_AreItsNodesAndTheOutputs(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const int64_t x = input(graph, "x");
  const int64_t square = binary(graph, "aten::mul.Tensor", x, ref(x));
  output(graph, add(graph, square, ref(x)));
  output(graph, square);
  tenon_buffer* users = NULL;
  assert_ok(tenon_graph_list_users(graph, x, &users));
  assert_int_equal(tenon_buffer_size(users), 2 * sizeof(int64_t));
  assert_int_equal(((const int64_t*)tenon_buffer_data(users))[0], 0);
  assert_int_equal(((const int64_t*)tenon_buffer_data(users))[1], 1);
  tenon_buffer_release(users);
  assert_ok(tenon_graph_list_users(graph, square, &users));
  assert_int_equal(((const int64_t*)tenon_buffer_data(users))[0], 1);
  assert_int_equal(((const int64_t*)tenon_buffer_data(users))[1], 2);
  tenon_buffer_release(users);
  tenon_graph_release(graph);
}

static void Infer_UnknownValues_AreFoundOut(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  const int64_t x = known_input(graph, "x");
  output(graph, unary(graph, "aten::exp", binary(graph, "aten::gt.Tensor", x, ref(x))));
  tenon_graph_value value = {.struct_size = sizeof value};
  assert_ok(tenon_graph_get_value(graph, 1, &value));
  assert_int_equal(value.dtype, TENON_DTYPE_NONE);
  tenon_graph* made = NULL;
  assert_ok(tenon_graph_transform(graph, TENON_GRAPH_INFER, &made));
  assert_ok(tenon_graph_get_value(made, 1, &value));
  assert_int_equal(value.dtype, TENON_DTYPE_BOOL);
  assert_int_equal(value.sizes[0], 2);
  assert_ok(tenon_graph_get_value(made, 2, &value));
  assert_int_equal(value.dtype, TENON_DTYPE_F32);
  assert_ok(tenon_graph_check(made));
  tenon_graph_release(made);
  tenon_graph_release(graph);
}

static void Check_OtherThanRecorded_NamesValueAndNode(void** state) {
  (void)state;
  const char* text =
      "tenon.graph 1\n"
      "op aten::exp(Tensor self) -> Tensor\n"
      "input x = %0: float32[2] cpu\n"
      "%1: float32[3] cpu = aten::exp(%0)\n"
      "return %1\n";
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_parse(text, (int64_t)strlen(text), NULL, 0, &graph));
  assert_error(tenon_graph_check(graph), TENON_ERROR_TYPE,
               "value 1 must match the result of its call, float32[2] cpu, got float32[3] cpu");
  tenon_graph_release(graph);
  // The operator cannot be called with these inputs.
  const char* wrong =
      "tenon.graph 1\n"
      "op aten::mm(Tensor self, Tensor mat2) -> Tensor\n"
      "input x = %0: float32[2, 3] cpu\n"
      "%1 = aten::mm(%0, %0)\n"
      "return %1\n";
  assert_ok(tenon_graph_parse(wrong, (int64_t)strlen(wrong), NULL, 0, &graph));
  assert_error(tenon_graph_check(graph), TENON_ERROR_INVALID_ARGUMENT, "mm");
  tenon_graph_release(graph);
}

// ---- Frames -------------------------------------------------------------------------------------

static int32_t line_now;

static void add_frames(void* ctx, tenon_error* error) {
  for (int32_t i = 0; i < 10; ++i) {
    if (tenon_error_frames_wanted(error) == 0) return;
    tenon_error_add_frame(error, *(uint32_t*)ctx, i == 0 ? "inner" : "outer", "it's.go",
                          line_now + i);
  }
}

static tenon_tensor* call_exp(tenon_tensor* x) {
  const tenon_value args[1] = {tenon_value_of_tensor(x)};
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(find("aten::exp"), args, 1, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}

static void Frames_OfARecording_AreTheInnermostOnes(void** state) {
  (void)state;
  static uint32_t language;
  assert_ok(tenon_language_register("Go", &language));
  assert_ok(tenon_language_set_frames(language, add_frames, &language));
  tenon_tensor* x = vector_of((const float[2]){0, 0}, 2);
  tenon_graph* graph = NULL;
  // [quote.begin frames]
  assert_ok(tenon_graph_begin(TENON_GRAPH_BELOW_AUTOGRAD | TENON_GRAPH_FRAMES, &graph));
  // [quote.end]
  assert_ok(tenon_graph_add_input(graph, x, "x", NULL));
  line_now = 7;
  tenon_tensor* y = call_exp(x);
  line_now = 8;
  tenon_tensor* z = call_exp(y);
  const tenon_value result = tenon_value_of_tensor(z);
  assert_ok(tenon_graph_add_output(graph, &result));
  assert_ok(tenon_graph_end(graph));
  assert_int_equal(tenon_graph_frame_count(graph, 0), 4);
  assert_true(tenon_graph_frame_count(graph, 2) == -1);
  tenon_error_frame frame;
  assert_ok(tenon_graph_get_frame(graph, 1, 0, &frame));
  assert_int_equal(frame.language, language);
  assert_int_equal(frame.line, 8);
  assert_string_equal(frame.function, "inner");
  assert_string_equal(frame.file, "it's.go");
  assert_error(tenon_graph_get_frame(graph, 1, 4, &frame), TENON_ERROR_INDEX, "below 4");
  // Passes, texts and replacements of nodes keep the source locations.
  tenon_graph *changed = NULL, *again = NULL;
  assert_ok(tenon_graph_transform(graph, TENON_GRAPH_REMOVE_DEAD, &changed));
  tenon_buffer* text = NULL;
  assert_ok(tenon_graph_print(changed, &text));
  assert_non_null(strstr(tenon_buffer_data(text), ":8 in 'inner' [Go], "));
  assert_ok(tenon_graph_parse(tenon_buffer_data(text), (int64_t)strlen(tenon_buffer_data(text)),
                              NULL, 0, &again));
  assert_ok(tenon_graph_get_frame(again, 1, 1, &frame));
  assert_int_equal(frame.language, language);
  assert_int_equal(frame.line, 9);
  assert_string_equal(frame.function, "outer");
  assert_string_equal(frame.file, "it's.go");
  tenon_buffer_release(text);
  // The error of a failed run includes the locations.
  tenon_value args[1] = {tenon_value_of_tensor(tenon_tensor_undefined())};
  tenon_value ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .rets = &ret, .nargs = 1, .nrets = 1};
  assert_int_not_equal(tenon_graph_run(again, &stack), TENON_OK);
  tenon_error* error = tenon_error_take();
  assert_non_null(strstr(tenon_error_format(error),
                         "in node 0 of a graph, aten::exp, recorded at it's.go:7 in inner [Go]"));
  tenon_error_release(error);
  tenon_graph_release(again);
  tenon_graph_release(changed);
  tenon_graph_release(graph);
  tenon_tensor_release(z);
  tenon_tensor_release(y);
  tenon_tensor_release(x);
}

static void Frames_ByHand_AreAdded(void** state) {
  (void)state;
  tenon_graph* graph = new_graph();
  unary(graph, "aten::exp", input(graph, "x"));
  assert_int_equal(tenon_graph_frame_count(graph, 0), 0);
  assert_ok(tenon_graph_add_frame(graph, 0, TENON_LANGUAGE_C, "main", __FILE__, 3));
  assert_ok(tenon_graph_add_frame(graph, 0, TENON_LANGUAGE_C, NULL, NULL, 0));
  assert_int_equal(tenon_graph_frame_count(graph, 0), 2);
  tenon_error_frame frame;
  assert_ok(tenon_graph_get_frame(graph, 0, 0, &frame));
  assert_string_equal(frame.file, __FILE__);
  assert_error(tenon_graph_add_frame(graph, 1, TENON_LANGUAGE_C, "main", __FILE__, 3),
               TENON_ERROR_INDEX, "below 1");
  assert_error(tenon_graph_add_frame(graph, 0, 77, "main", __FILE__, 3),
               TENON_ERROR_INVALID_ARGUMENT, "language");
  tenon_graph_release(graph);
}

static void Text_Comments_AreLeftOut(void** state) {
  (void)state;
  const char* text =
      "tenon.graph 1\n"
      "# what it does\n"
      "op aten::exp(Tensor self) -> Tensor\n"
      "input x = %0 # the input\n"
      "%1 = aten::exp(%0)  # elementwise\n"
      "return %1 # all\n";
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_parse(text, (int64_t)strlen(text), NULL, 0, &graph));
  assert_int_equal(tenon_graph_node_count(graph), 1);
  assert_int_equal(tenon_graph_frame_count(graph, 0), 0);
  tenon_graph_release(graph);
  const char* malformed[3] = {"'a.py' in", "'a.py':1 in 'f' [C", "'a.py':x in 'f' [C]"};
  for (int i = 0; i < 3; ++i) {
    char whole[256];
    snprintf(whole, sizeof whole,
             "tenon.graph 1\nop aten::exp(Tensor self) -> Tensor\ninput x = %%0\n"
             "%%1 = aten::exp(%%0) # %s\nreturn %%1\n",
             malformed[i]);
    assert_error(tenon_graph_parse(whole, (int64_t)strlen(whole), NULL, 0, &graph),
                 TENON_ERROR_PARSE, "line 4");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(Pattern_EachMatch_IsReplaced),
      cmocka_unit_test(Pattern_InnerResultUsedElsewhere_IsNoMatch),
      cmocka_unit_test(Pattern_ResultThatIsAnOutputOfTheGraph_IsNoMatch),
      cmocka_unit_test(Pattern_Constants_MatchEqualOnesOrAny),
      cmocka_unit_test(Pattern_Input_MatchesANumber),
      cmocka_unit_test(Pattern_InputUsedTwice_IsOneValue),
      cmocka_unit_test(Pattern_OverlappingMatches_TheFirstOneIsReplaced),
      cmocka_unit_test(Pattern_WriteBetween_IsNoMatch),
      cmocka_unit_test(Pattern_OutputUsedBetween_GoesWhereItIsUsed),
      cmocka_unit_test(Pattern_InputFromTheMatchItself_IsNoMatch),
      cmocka_unit_test(Pattern_ElementsOfLists_Match),
      cmocka_unit_test(Pattern_AttributesOfTheReplacement_AreSharedOnce),
      cmocka_unit_test(Pattern_ThatCannotBeSearchedFor_IsRefused),
      cmocka_unit_test(Graph_BuiltByHand_Runs),
      cmocka_unit_test(Rewrite_Pass_KeepsReplacesAndDrops),
      cmocka_unit_test(Rewrite_DroppedCall_MustNotBeUsed),
      cmocka_unit_test(Rewrite_FailingPass_NamesTheNode),
      cmocka_unit_test(Rewrite_List_IsReplacedByElements),
      cmocka_unit_test(Users_OfAValue_AreItsNodesAndTheOutputs),
      cmocka_unit_test(Infer_UnknownValues_AreFoundOut),
      cmocka_unit_test(Check_OtherThanRecorded_NamesValueAndNode),
      cmocka_unit_test(Frames_OfARecording_AreTheInnermostOnes),
      cmocka_unit_test(Frames_ByHand_AreAdded),
      cmocka_unit_test(Text_Comments_AreLeftOut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
