// SPDX-License-Identifier: Apache-2.0
// Graphs with symbolic sizes from C: recorded, built by hand, run with other sizes, checked,
// printed and parsed, saved and loaded, changed, and defined as operators.
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

// Makes a float32 matrix of 1, 2, 3 and so on.
static tenon_tensor* matrix(int64_t rows, int64_t columns) {
  const int64_t sizes[2] = {rows, columns};
  tenon_tensor* tensor = NULL;
  void* data = NULL;
  assert_ok(tenon_tensor_new(TENON_DTYPE_F32, NULL, 2, sizes, NULL, &tensor));
  assert_ok(tenon_tensor_data(tensor, &data));
  for (int64_t i = 0; i < rows * columns; ++i) ((float*)data)[i] = (float)(i + 1);
  return tensor;
}

static void assert_sizes(const tenon_tensor* tensor, int64_t ndim, const int64_t* sizes) {
  tenon_tensor_info info;
  assert_ok(tenon_tensor_describe(tensor, &info));
  assert_int_equal(info.ndim, ndim);
  for (int64_t d = 0; d < ndim; ++d) assert_int_equal(info.sizes[d], sizes[d]);
}

static tenon_status run(tenon_graph* graph, tenon_tensor** inputs, uint32_t ninputs,
                        tenon_value* ret) {
  tenon_value args[4];
  for (uint32_t i = 0; i < ninputs; ++i) args[i] = tenon_value_of_tensor(inputs[i]);
  *ret = tenon_value_of_none();
  tenon_stack stack = {.args = args, .rets = ret, .nargs = ninputs, .nrets = 1};
  return tenon_graph_run(graph, &stack);
}

static void assert_text(tenon_buffer* text, const char* expected) {
  assert_non_null(text);
  assert_string_equal(tenon_buffer_data(text), expected);
  tenon_buffer_release(text);
}

// Records reshape(x * x, [-1]) with the sizes [s0, 3].
static tenon_graph* flattened(void) {
  tenon_tensor* given = matrix(4, 3);
  // [quote.begin record]
  tenon_shape_env* env = NULL;
  tenon_value rows;
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_shape_env_new_size(env, 4, &rows));
  const int64_t sizes[2] = {tenon_dim_of_symbol(rows.as.symbol), 3};
  tenon_tensor* x = NULL;
  assert_ok(tenon_tensor_copy_symbolic(given, NULL, sizes, &x));

  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_begin(TENON_GRAPH_BELOW_AUTOGRAD, &graph));
  assert_ok(tenon_graph_add_input(graph, x, "x", NULL));
  tenon_tensor* product = binary("aten::mul.Tensor", x, x);
  const int64_t all = -1;
  const tenon_value args[2] = {tenon_value_of_tensor(product), tenon_value_of_ints(&all, 1)};
  tenon_tensor* flat = apply("aten::reshape", args, 2);
  const tenon_value output = tenon_value_of_tensor(flat);
  assert_ok(tenon_graph_add_output(graph, &output));
  assert_ok(tenon_graph_end(graph));
  // [quote.end]
  tenon_tensor_release(flat);
  tenon_tensor_release(product);
  tenon_tensor_release(x);
  tenon_tensor_release(given);
  tenon_value_clear(&rows);
  tenon_shape_env_release(env);
  return graph;
}

static void assert_flattens(tenon_graph* graph, int64_t rows) {
  tenon_tensor* x = matrix(rows, 3);
  tenon_value ret;
  assert_ok(run(graph, &x, 1, &ret));
  const int64_t count = 3 * rows;
  assert_sizes(ret.as.tensor, 1, &count);
  void* data = NULL;
  assert_ok(tenon_tensor_data(ret.as.tensor, &data));
  for (int64_t i = 0; i < count; ++i) {
    assert_float_equal(((float*)data)[i], (float)((i + 1) * (i + 1)), 0);
  }
  tenon_value_clear(&ret);
  tenon_tensor_release(x);
}

static const char* const kText =
    "tenon.graph 2\n"
    "op aten::mul.Tensor(Tensor self, Tensor other) -> Tensor\n"
    "op aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)\n"
    "input x = %0: float32[s0, 3] cpu\n"
    "size s0 = %1: %0[0], hint 4, >= 2\n"
    "%2: float32[s0, 3] cpu = aten::mul.Tensor(%0, %0)\n"
    "number %3 = 3 * s0\n"
    "%4: float32[3 * s0] cpu = aten::view(%2, [%3])\n"
    "return %4\n";

static void GraphSize_Recorded_RunsWithOtherSizes(void** state) {
  (void)state;
  tenon_graph* graph = flattened();
  tenon_buffer* text = NULL;
  assert_ok(tenon_graph_print(graph, &text));
  assert_text(text, kText);
  assert_flattens(graph, 4);
  assert_flattens(graph, 7);
  tenon_graph_release(graph);
}

static void GraphSize_Values_TellSizesAndFunctions(void** state) {
  (void)state;
  tenon_graph* graph = flattened();
  tenon_graph_value value = {.struct_size = sizeof value};
  assert_ok(tenon_graph_get_value(graph, 0, &value));
  assert_null(value.sizes);
  assert_int_equal(value.ndim, 2);
  assert_int_equal(value.dims[0].tag, TENON_TAG_REF);
  assert_int_equal(value.dims[0].as.i, 1);
  assert_int_equal(value.dims[1].as.i, 3);
  assert_ok(tenon_graph_get_value(graph, 1, &value));
  assert_int_equal(value.kind, TENON_GRAPH_VALUE_SIZE);
  assert_string_equal(value.name, "s0");
  assert_int_equal(value.source, 0);
  tenon_graph_number number = {.struct_size = sizeof number};
  assert_ok(tenon_graph_get_number(graph, 1, &number));
  assert_string_equal(number.name, "s0");
  assert_int_equal(number.tensor, 0);
  assert_int_equal(number.dim, 0);
  assert_int_equal(number.min, 2);
  assert_int_equal(number.max, INT64_MAX);
  assert_int_equal(number.hint, 4);
  assert_ok(tenon_graph_get_number(graph, 3, &number));
  assert_int_equal(number.function, TENON_SYMBOL_MUL);
  assert_int_equal(number.noperands, 2);
  assert_int_equal(number.operands[1].as.i, 1);
  tenon_buffer* text = NULL;
  const tenon_value three = tenon_value_of_number(TENON_TAG_REF, 3);
  assert_ok(tenon_graph_print_number(graph, &three, &text));
  assert_text(text, "3 * s0");
  assert_error(tenon_graph_get_number(graph, 0, &number), TENON_ERROR_TYPE, "size or function");
  assert_error(tenon_graph_get_number(graph, 9, &number), TENON_ERROR_INDEX, "got 9");
  tenon_graph_release(graph);
}

static void GraphSize_OtherInputs_AreRefused(void** state) {
  (void)state;
  tenon_graph* graph = flattened();
  tenon_value ret;
  tenon_tensor* one = matrix(1, 3);
  assert_error(run(graph, &one, 1, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "x must be of size 2 or more at dim 0, which is s0, got 1");
  tenon_tensor* wide = matrix(4, 5);
  assert_error(run(graph, &wide, 1, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "x must be of size 3, at dim 1, got 5");
  tenon_tensor* flat = vector_of((float[4]){0}, 4);
  assert_error(run(graph, &flat, 1, &ret), TENON_ERROR_INVALID_ARGUMENT, "x must be of 2 dims");
  tenon_tensor_release(one);
  tenon_tensor_release(wide);
  tenon_tensor_release(flat);
  tenon_graph_release(graph);
}

// Records x + y for sizes [s0, s1] and [s2, s3], which must be equal.
static tenon_graph* sum(void) {
  tenon_shape_env* env = NULL;
  assert_ok(tenon_shape_env_new(0, &env));
  tenon_tensor *given = matrix(4, 3), *x = NULL, *y = NULL;
  assert_ok(tenon_tensor_copy_symbolic(given, env, NULL, &x));
  assert_ok(tenon_tensor_copy_symbolic(given, env, NULL, &y));
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_begin(0, &graph));
  assert_ok(tenon_graph_add_input(graph, x, "x", NULL));
  assert_ok(tenon_graph_add_input(graph, y, "y", NULL));
  tenon_tensor* both = binary("aten::add.Tensor", x, y);
  const tenon_value output = tenon_value_of_tensor(both);
  assert_ok(tenon_graph_add_output(graph, &output));
  assert_ok(tenon_graph_end(graph));
  tenon_tensor_release(both);
  tenon_tensor_release(x);
  tenon_tensor_release(y);
  tenon_tensor_release(given);
  tenon_shape_env_release(env);
  return graph;
}

static void GraphSize_Guards_AreCheckedWithTheirPlace(void** state) {
  (void)state;
  tenon_graph* graph = sum();
  assert_int_equal(tenon_graph_guard_count(graph), 2);
  tenon_graph_guard guard = {.struct_size = sizeof guard};
  tenon_buffer* text = NULL;
  assert_ok(tenon_graph_get_guard(graph, 0, &guard, &text));
  assert_int_equal(guard.function, TENON_SYMBOL_EQ);
  assert_string_equal(guard.op, "aten::add.Tensor");
  assert_non_null(text);
  tenon_buffer_release(text);
  assert_error(tenon_graph_get_guard(graph, 2, &guard, NULL), TENON_ERROR_INDEX, "below 2");
  tenon_tensor* pair[2] = {matrix(5, 2), matrix(5, 2)};
  tenon_value ret;
  assert_ok(run(graph, pair, 2, &ret));
  assert_sizes(ret.as.tensor, 2, (const int64_t[2]){5, 2});
  tenon_value_clear(&ret);
  // An eager call would broadcast here, but the recorded graph has no broadcast.
  tenon_tensor* other = matrix(6, 2);
  tenon_tensor* unequal[2] = {pair[0], other};
  assert_error(run(graph, unequal, 2, &ret), TENON_ERROR_INVALID_ARGUMENT, "(aten::add.Tensor");
  tenon_tensor_release(other);
  tenon_tensor_release(pair[0]);
  tenon_tensor_release(pair[1]);
  tenon_graph_release(graph);
}

static void GraphSize_OneSymbol_IsOneSizeOfAllInputs(void** state) {
  (void)state;
  tenon_shape_env* env = NULL;
  tenon_value rows;
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_shape_env_new_size(env, 4, &rows));
  const int64_t sizes[2] = {tenon_dim_of_symbol(rows.as.symbol), 3};
  tenon_tensor *given = matrix(4, 3), *x = NULL, *y = NULL;
  assert_ok(tenon_tensor_copy_symbolic(given, NULL, sizes, &x));
  assert_ok(tenon_tensor_copy_symbolic(given, NULL, sizes, &y));
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_begin(0, &graph));
  assert_ok(tenon_graph_add_input(graph, x, "x", NULL));
  assert_ok(tenon_graph_add_input(graph, y, "y", NULL));
  tenon_tensor* both = binary("aten::add.Tensor", x, y);
  const tenon_value outputs[1] = {tenon_value_of_tensor(both)};
  assert_ok(tenon_graph_add_output(graph, outputs));
  assert_ok(tenon_graph_end(graph));
  assert_int_equal(tenon_graph_guard_count(graph), 0);
  tenon_tensor* pair[2] = {matrix(5, 3), matrix(6, 3)};
  tenon_value ret;
  assert_error(run(graph, pair, 2, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "y must be of size 5, which is s0, at dim 0, got 6");
  tenon_tensor_release(pair[0]);
  tenon_tensor_release(pair[1]);
  tenon_graph_release(graph);
  tenon_tensor_release(both);
  tenon_tensor_release(x);
  tenon_tensor_release(y);
  tenon_tensor_release(given);
  tenon_value_clear(&rows);
  tenon_shape_env_release(env);
}

// Returns view(x, [n // 2, 2]) for n = x.size(0), which is even, and n itself.
static tenon_graph* halved(void) {
  tenon_graph* graph = NULL;
  int64_t x = -1, n = -1, half = -1, first = -1, rest = -1;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  assert_ok(tenon_graph_add_size(graph, x, 0, "n", NULL, 2, INT64_MAX, &n));
  const tenon_value by_two[2] = {tenon_value_of_number(TENON_TAG_REF, n), tenon_value_of_int(2)};
  assert_ok(tenon_graph_add_number(graph, TENON_SYMBOL_FLOORDIV, by_two, 2, &half));
  assert_ok(tenon_graph_add_number(graph, TENON_SYMBOL_MOD, by_two, 2, &rest));
  const tenon_value even[2] = {tenon_value_of_number(TENON_TAG_REF, rest), tenon_value_of_int(0)};
  assert_ok(tenon_graph_add_guard(graph, TENON_SYMBOL_EQ, even, 2));
  const tenon_value sizes[2] = {tenon_value_of_number(TENON_TAG_REF, half), tenon_value_of_int(2)};
  const tenon_value args[2] = {tenon_value_of_number(TENON_TAG_REF, x),
                               tenon_value_of_elements(TENON_TAG_LIST, sizes, 2)};
  assert_ok(tenon_graph_append(graph, find("aten::view"), args, 2, &first));
  const tenon_value output = tenon_value_of_number(TENON_TAG_REF, first);
  assert_ok(tenon_graph_add_output(graph, &output));
  return graph;
}

static void GraphSize_BuiltByHand_Runs(void** state) {
  (void)state;
  tenon_graph* graph = halved();
  tenon_tensor* six = vector_of((const float[6]){1, 2, 3, 4, 5, 6}, 6);
  tenon_value ret;
  assert_ok(run(graph, &six, 1, &ret));
  assert_sizes(ret.as.tensor, 2, (const int64_t[2]){3, 2});
  tenon_value_clear(&ret);
  tenon_tensor* three = vector_of((const float[3]){1, 2, 3}, 3);
  assert_error(run(graph, &three, 1, &ret), TENON_ERROR_INVALID_ARGUMENT,
               "sizes must satisfy n % 2 == 0, as when the graph was recorded, got 1 and 0");
  tenon_tensor_release(six);
  tenon_tensor_release(three);
  tenon_graph_release(graph);
}

static void GraphSize_BadNumbers_AreRefused(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  int64_t x = -1, value = 0;
  assert_ok(tenon_graph_new(&graph));
  assert_ok(tenon_graph_add_input(graph, NULL, "x", &x));
  const int64_t low = INT64_MIN, high = INT64_MAX, hint = 9;
  assert_error(tenon_graph_add_size(graph, 7, 0, NULL, NULL, low, high, &value), TENON_ERROR_INDEX,
               "got 7");
  assert_int_equal(value, -1);
  assert_error(tenon_graph_add_size(graph, x, 65, NULL, NULL, low, high, NULL), TENON_ERROR_INDEX,
               "got 65");
  assert_error(tenon_graph_add_size(graph, x, 0, "1x", NULL, low, high, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "identifier");
  assert_error(tenon_graph_add_size(graph, x, 0, "max", NULL, low, high, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "identifier");
  assert_error(tenon_graph_add_size(graph, x, 0, "n", NULL, 5, 4, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "min must not exceed max");
  assert_error(tenon_graph_add_size(graph, x, 0, "n", &hint, 2, 4, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "hint");
  assert_ok(tenon_graph_add_size(graph, x, 0, "n", NULL, low, high, &value));
  assert_error(tenon_graph_add_size(graph, x, 1, "n", NULL, low, high, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "new");
  assert_error(tenon_graph_add_size(graph, value, 0, NULL, NULL, low, high, NULL),
               TENON_ERROR_INDEX, "got a number");
  const tenon_value tensor[2] = {tenon_value_of_number(TENON_TAG_REF, x), tenon_value_of_int(1)};
  assert_error(tenon_graph_add_number(graph, TENON_SYMBOL_ADD, tensor, 2, NULL), TENON_ERROR_TYPE,
               "numbers");
  assert_error(tenon_graph_add_number(graph, TENON_SYMBOL_ADD, tensor, 1, NULL),
               TENON_ERROR_INVALID_ARGUMENT, "2 numbers");
  assert_error(tenon_graph_add_number(graph, 99, tensor, 2, NULL), TENON_ERROR_INVALID_ARGUMENT,
               "got 99");
  const tenon_value good[2] = {tenon_value_of_number(TENON_TAG_REF, value), tenon_value_of_int(1)};
  assert_error(tenon_graph_add_guard(graph, TENON_SYMBOL_ADD, good, 2),
               TENON_ERROR_INVALID_ARGUMENT, "TENON_SYMBOL_EQ");
  assert_error(tenon_graph_set_dims(graph, x, good, 1), TENON_ERROR_TYPE, "dtype");
  // Equal functions are one value.
  int64_t first = -1, second = -2;
  assert_ok(tenon_graph_add_number(graph, TENON_SYMBOL_ADD, good, 2, &first));
  assert_ok(tenon_graph_add_number(graph, TENON_SYMBOL_ADD, good, 2, &second));
  assert_int_equal(first, second);
  tenon_graph_release(graph);
}

static void GraphSize_Text_ReadsBack(void** state) {
  (void)state;
  tenon_graph* (*const made[3])(void) = {flattened, sum, halved};
  for (int i = 0; i < 3; ++i) {
    tenon_graph *graph = made[i](), *again = NULL;
    tenon_buffer *text = NULL, *second = NULL;
    assert_ok(tenon_graph_print(graph, &text));
    assert_ok(tenon_graph_parse(tenon_buffer_data(text), tenon_buffer_size(text), NULL, 0, &again));
    assert_ok(tenon_graph_print(again, &second));
    assert_text(second, tenon_buffer_data(text));
    tenon_buffer_release(text);
    tenon_graph_release(graph);
    tenon_graph_release(again);
  }
}

// Lines of a graph after its operator line and input, and a part of the error for them.
static const char* const kMalformed[][2] = {
    {"size s0 = %1: %0\nreturn %0\n", "'['"},
    {"size s0 = %2: %0[0]\nreturn %0\n", "%1, the next value"},
    {"size s0 = %1: %0[0], around 3\nreturn %0\n", "hint"},
    {"size s0 = %1: %0[0], >= x\nreturn %0\n", "a number"},
    {"size s0 = %1: %7[0]\nreturn %0\n", "a size of a value of the graph"},
    {"number %1 = s0 + 1\nreturn %0\n", "the name of a size"},
    {"number %1 = 3\nreturn %0\n", "a number that is new"},
    {"size s0 = %1: %0[0]\nnumber %2 = s0 +\nreturn %0\n", "a number"},
    {"size s0 = %1: %0[0]\nnumber %2 = (s0 + 1\nreturn %0\n", "')'"},
    {"size s0 = %1: %0[0]\nnumber %2 = max(s0)\nreturn %0\n", "','"},
    {"size s0 = %1: %0[0]\nnumber %2 = %9 + 1\nreturn %0\n", "an earlier value"},
    {"size s0 = %1: %0[0]\nguard s0 + 1\nreturn %0\n", "a relation"},
    {"size s0 = %1: %0[0]\nguard s0 < 9, 'aten::view'\nreturn %0\n", "','"},
    {"size s0 = %1: %0[0]\nguard s0 < 9, 1, 2, 3\nreturn %0\n", "a string"},
};

static void GraphSize_MalformedText_IsRefused(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof kMalformed / sizeof *kMalformed; ++i) {
    char text[256];
    snprintf(text, sizeof text, "tenon.graph 2\ninput x = %%0\n%s", kMalformed[i][0]);
    tenon_graph* graph = NULL;
    assert_error(tenon_graph_parse(text, (int64_t)strlen(text), NULL, 0, &graph), TENON_ERROR_PARSE,
                 kMalformed[i][1]);
    assert_null(graph);
  }
}

static void GraphSize_Functions_AreCalculated(void** state) {
  (void)state;
  const char* const text =
      "tenon.graph 2\ninput x = %0\nsize n = %1: %0[0]\nsize m = %2: %0[1]\n"
      "number %3 = n - m\nnumber %4 = (n - m) * 2\nnumber %5 = (n - m) * 2 // 3\n"
      "number %6 = (n - m) * 2 // 3 % 5\nnumber %7 = max(n, m)\nnumber %8 = min(n, m)\n"
      "number %9 = max(n, m) + min(n, m)\nnumber %10 = float(n)\nnumber %11 = sqrt(float(n))\n"
      "number %12 = sqrt(float(n)) / 2\nreturn %3, %6, %9, %12\n";
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_parse(text, (int64_t)strlen(text), NULL, 0, &graph));
  tenon_tensor* x = matrix(16, 4);
  tenon_value arg = tenon_value_of_tensor(x), rets[4];
  memset(rets, 0, sizeof rets);
  tenon_stack stack = {.args = &arg, .rets = rets, .nargs = 1, .nrets = 4};
  assert_ok(tenon_graph_run(graph, &stack));
  assert_int_equal(rets[0].as.i, 12);
  assert_int_equal(rets[1].as.i, 3);
  assert_int_equal(rets[2].as.i, 20);
  assert_float_equal(rets[3].as.f, 2.0, 0);
  tenon_tensor_release(x);
  tenon_graph_release(graph);
}

static void GraphSize_File_HoldsAll(void** state) {
  (void)state;
  char path[] = "/tmp/tenon-graph-size-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
  tenon_graph *graph = flattened(), *again = NULL;
  assert_ok(tenon_graph_save(graph, path));
  assert_ok(tenon_graph_load(path, &again));
  assert_flattens(again, 2);
  assert_flattens(again, 9);
  tenon_graph_release(again);
  tenon_graph_release(graph);
  unlink(path);
}

// A graph recorded by Python: relu(x @ w) as a vector, and a vector of ones with x.size(0)
// elements.
static void GraphSize_OfPython_RunsWithSeveralSizes(void** state) {
  (void)state;
  tenon_graph* graph = NULL;
  assert_ok(tenon_graph_load(CONFORMANCE_GRAPHS "/dynamic.safetensors", &graph));
  for (int64_t rows = 2; rows < 6; rows += 3) {
    tenon_tensor* x = matrix(rows, 3);
    void* data = NULL;
    assert_ok(tenon_tensor_data(x, &data));
    for (int64_t i = 0; i < 3 * rows; ++i) ((float*)data)[i] = 1;
    tenon_value arg = tenon_value_of_tensor(x), rets[2];
    memset(rets, 0, sizeof rets);
    tenon_stack stack = {.args = &arg, .rets = rets, .nargs = 1, .nrets = 2};
    assert_ok(tenon_graph_run(graph, &stack));
    const int64_t count = 2 * rows;
    assert_sizes(rets[0].as.tensor, 1, &count);
    assert_sizes(rets[1].as.tensor, 1, &rows);
    assert_ok(tenon_tensor_data(rets[0].as.tensor, &data));
    assert_float_equal(((float*)data)[0], 9, 0);
    assert_float_equal(((float*)data)[1], 0, 0);
    tenon_value_clear(&rets[0]);
    tenon_value_clear(&rets[1]);
    tenon_tensor_release(x);
  }
  tenon_graph_release(graph);
}

static void GraphSize_Passes_KeepSizesAndGuards(void** state) {
  (void)state;
  tenon_graph *graph = flattened(), *changed = NULL, *pure = NULL;
  assert_ok(tenon_graph_transform(
      graph, TENON_GRAPH_FOLD_CONSTANTS | TENON_GRAPH_MERGE_COMMON | TENON_GRAPH_REMOVE_DEAD,
      &changed));
  tenon_buffer* text = NULL;
  assert_ok(tenon_graph_print(changed, &text));
  assert_text(text, kText);
  assert_ok(tenon_graph_functionalize(changed, 0, &pure));
  assert_flattens(changed, 5);
  assert_flattens(pure, 6);
  tenon_graph_release(pure);
  tenon_graph_release(changed);
  tenon_graph_release(graph);
  graph = sum();
  assert_ok(tenon_graph_transform(graph, TENON_GRAPH_REMOVE_DEAD, &changed));
  assert_int_equal(tenon_graph_guard_count(changed), 2);
  tenon_graph_release(changed);
  tenon_graph_release(graph);
}

static void GraphSize_Bound_IsForOneShape(void** state) {
  (void)state;
  tenon_graph* graph = sum();
  tenon_tensor* pair[2] = {matrix(5, 2), matrix(5, 2)};
  const tenon_value inputs[2] = {tenon_value_of_tensor(pair[0]), tenon_value_of_tensor(pair[1])};
  tenon_buffer* reason = NULL;
  assert_ok(tenon_graph_bind(graph, inputs, 2, &reason));
  assert_null(reason);
  tenon_value ret;
  assert_ok(run(graph, pair, 2, &ret));
  assert_sizes(ret.as.tensor, 2, (const int64_t[2]){5, 2});
  tenon_value_clear(&ret);
  tenon_tensor* other[2] = {matrix(3, 2), matrix(3, 2)};
  assert_ok(run(graph, other, 2, &ret));
  assert_sizes(ret.as.tensor, 2, (const int64_t[2]){3, 2});
  tenon_value_clear(&ret);
  for (int i = 0; i < 2; ++i) {
    tenon_tensor_release(pair[i]);
    tenon_tensor_release(other[i]);
  }
  tenon_graph_release(graph);
}

static void GraphSize_Defined_TakesAllSizes(void** state) {
  (void)state;
  tenon_library* library = NULL;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "sizes", TENON_KEY_NONE, NULL, 0, &library));
  tenon_graph* graph = flattened();
  assert_ok(tenon_graph_define(graph, library, "square", NULL));
  tenon_graph_release(graph);
  for (int64_t rows = 2; rows < 5; ++rows) {
    tenon_tensor* x = matrix(rows, 3);
    tenon_tensor* y = unary("sizes::square", x);
    const int64_t count = 3 * rows;
    assert_sizes(y, 1, &count);
    tenon_tensor_release(x);
    tenon_tensor_release(y);
  }
  tenon_library_close(library);
  tenon_library_release(library);
}

// A run with symbolic sizes returns symbolic sizes, and adds guards where a run with numbers
// checks.
static void GraphSize_SymbolicRun_GivesSymbols(void** state) {
  (void)state;
  tenon_graph* graph = flattened();
  tenon_shape_env* env = NULL;
  assert_ok(tenon_shape_env_new(0, &env));
  tenon_tensor *given = matrix(8, 3), *x = NULL;
  assert_ok(tenon_tensor_copy_symbolic(given, env, NULL, &x));
  tenon_value ret, dims;
  assert_ok(run(graph, &x, 1, &ret));
  assert_ok(tenon_tensor_dims(ret.as.tensor, TENON_DIMS_SIZES, &dims));
  tenon_buffer* text = NULL;
  assert_ok(tenon_value_print(&dims, &text));
  assert_text(text, "[3*s0]");
  assert_int_equal(tenon_shape_env_guard_count(env), 1);  // s1 == 3
  tenon_value_clear(&dims);
  tenon_value_clear(&ret);
  tenon_tensor_release(x);
  tenon_tensor_release(given);
  tenon_shape_env_release(env);
  tenon_graph_release(graph);
}

static int nothing_is_left(void** state) {
  (void)state;
  assert_int_equal(tenon_introspect_live_count(TENON_HANDLE_GRAPH), 0);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(GraphSize_Recorded_RunsWithOtherSizes),
      cmocka_unit_test(GraphSize_Values_TellSizesAndFunctions),
      cmocka_unit_test(GraphSize_OtherInputs_AreRefused),
      cmocka_unit_test(GraphSize_Guards_AreCheckedWithTheirPlace),
      cmocka_unit_test(GraphSize_OneSymbol_IsOneSizeOfAllInputs),
      cmocka_unit_test(GraphSize_BuiltByHand_Runs),
      cmocka_unit_test(GraphSize_BadNumbers_AreRefused),
      cmocka_unit_test(GraphSize_Text_ReadsBack),
      cmocka_unit_test(GraphSize_MalformedText_IsRefused),
      cmocka_unit_test(GraphSize_Functions_AreCalculated),
      cmocka_unit_test(GraphSize_File_HoldsAll),
      cmocka_unit_test(GraphSize_OfPython_RunsWithSeveralSizes),
      cmocka_unit_test(GraphSize_Passes_KeepSizesAndGuards),
      cmocka_unit_test(GraphSize_Bound_IsForOneShape),
      cmocka_unit_test(GraphSize_Defined_TakesAllSizes),
      cmocka_unit_test(GraphSize_SymbolicRun_GivesSymbols),
  };
  return cmocka_run_group_tests(tests, NULL, nothing_is_left);
}
