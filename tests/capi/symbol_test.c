// SPDX-License-Identifier: Apache-2.0
// Symbols from C: sizes, decisions with guards, operators on symbolic tensors, own shape rules.
#include "tenon/symbol.h"
#include "support.h"

static tenon_tensor* matrix_of(int64_t rows, int64_t columns) {
  const int64_t sizes[2] = {rows, columns};
  const tenon_symbolic_options options = {
      .struct_size = sizeof options, .dtype = TENON_DTYPE_F32, .ndim = 2, .sizes = sizes};
  tenon_tensor* tensor = NULL;
  assert_ok(tenon_tensor_new_symbolic(&options, &tensor));
  return tensor;
}

static void assert_text(tenon_value* value, const char* expected) {
  tenon_buffer* text = NULL;
  assert_ok(tenon_value_print(value, &text));
  assert_string_equal(tenon_buffer_data(text), expected);
  tenon_buffer_release(text);
  tenon_value_clear(value);
}

static void assert_sizes(const tenon_tensor* tensor, const char* expected) {
  tenon_value sizes;
  assert_ok(tenon_tensor_dims(tensor, TENON_DIMS_SIZES, &sizes));
  assert_text(&sizes, expected);
}

static tenon_tensor* apply(const char* name, tenon_tensor* a, tenon_tensor* b) {
  const tenon_op* op = NULL;
  assert_ok(tenon_op_find(name, &op));
  const tenon_value args[2] = {tenon_value_of_tensor(a), tenon_value_of_tensor(b)};
  tenon_value ret = tenon_value_of_none();
  assert_ok(tenon_op_call_named(op, args, b != NULL ? 2 : 1, NULL, NULL, 0, &ret, 1));
  return ret.as.tensor;
}

static void test_sizes_stay_symbolic_through_operators(void** state) {
  (void)state;
  // [quote.begin sizes]
  tenon_shape_env* env = NULL;
  tenon_value rows;
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_shape_env_new_size(env, 4, &rows));
  tenon_tensor* x = matrix_of(tenon_dim_of_symbol(rows.as.symbol), 3);
  tenon_tensor* turned = apply("aten::t", x, NULL);
  tenon_tensor* product = apply("aten::mm", x, turned);
  assert_sizes(product, "[s0, s0]");
  assert_int_equal(tenon_shape_env_guard_count(env), 0);
  // [quote.end]
  assert_null(tenon_tensor_sizes(product));
  assert_int_equal(tenon_tensor_numel(product), -1);
  tenon_tensor_release(product);
  tenon_tensor_release(turned);
  tenon_tensor_release(x);
  tenon_value_clear(&rows);
  tenon_shape_env_release(env);
}

static void test_decisions_are_recorded_and_checked(void** state) {
  (void)state;
  tenon_shape_env* env = NULL;
  tenon_symbol *a = NULL, *b = NULL;
  const tenon_value hint = tenon_value_of_int(4);
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_symbol_new(env, TENON_TAG_SYMINT, "a", &hint, 2, INT64_MAX, &a));
  assert_ok(tenon_symbol_new(env, TENON_TAG_SYMINT, "b", &hint, 2, INT64_MAX, &b));
  tenon_value args[2] = {{.tag = TENON_TAG_SYMINT, .as.symbol = a},
                         {.tag = TENON_TAG_SYMINT, .as.symbol = b}};
  tenon_value sum, equal, truth;
  assert_ok(tenon_symbol_apply(TENON_SYMBOL_ADD, args, 2, &sum));
  assert_text(&sum, "a + b");
  assert_ok(tenon_symbol_apply(TENON_SYMBOL_EQ, args, 2, &equal));
  assert_int_equal(equal.tag, TENON_TAG_SYMBOOL);
  assert_ok(tenon_symbol_guard(&equal, "model.c", 12, &truth));
  assert_int_equal(truth.tag, TENON_TAG_BOOL);
  assert_int_equal(truth.as.i, 1);
  tenon_shape_guard guard = {.struct_size = sizeof guard};
  assert_ok(tenon_shape_env_guard(env, 0, &guard));
  assert_string_equal(guard.text, "a == b");
  assert_string_equal(guard.file, "model.c");
  assert_int_equal(guard.line, 12);
  tenon_buffer_release(guard.owner);

  const tenon_symbol* variables[2] = {a, b};
  const int64_t good[2] = {7, 7}, bad[2] = {7, 8};
  int32_t holds = 0;
  int64_t number = 0;
  tenon_buffer* failure = NULL;
  assert_ok(tenon_shape_env_check(env, variables, good, 2, &holds, &failure));
  assert_int_equal(holds, 1);
  assert_null(failure);
  assert_ok(tenon_shape_env_check(env, variables, bad, 2, &holds, &failure));
  assert_int_equal(holds, 0);
  assert_string_equal(tenon_buffer_data(failure), "a == b (model.c:12)");
  tenon_buffer_release(failure);
  assert_ok(tenon_symbol_apply(TENON_SYMBOL_MUL, args, 2, &sum));
  assert_ok(tenon_symbol_evaluate(sum.as.symbol, variables, good, 2, &number));
  assert_int_equal(number, 49);
  tenon_value_clear(&sum);
  tenon_value_clear(&equal);
  tenon_symbol_release(a);
  tenon_symbol_release(b);
  tenon_shape_env_release(env);
}

static void test_symbols_keep_their_environment(void** state) {
  (void)state;
  tenon_shape_env* env = NULL;
  tenon_symbol* symbol = NULL;
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_symbol_new(env, TENON_TAG_SYMINT, NULL, NULL, 0, 10, &symbol));
  assert_ptr_equal(tenon_symbol_env(symbol), env);
  tenon_shape_env_release(env);
  int64_t min = -1, max = -1;
  assert_ok(tenon_symbol_bounds(symbol, &min, &max));
  assert_int_equal(min, 0);
  assert_int_equal(max, 10);
  tenon_value none;
  tenon_symbol_hint(symbol, &none);
  assert_int_equal(none.tag, TENON_TAG_NONE);
  tenon_symbol_release(symbol);
}

static void test_a_shape_rule_calculates_with_words(void** state) {
  (void)state;
  tenon_shape_env* env = NULL;
  tenon_value rows;
  assert_ok(tenon_shape_env_new(0, &env));
  assert_ok(tenon_shape_env_new_size(env, 4, &rows));
  const int64_t word = tenon_dim_of_symbol(rows.as.symbol);
  assert_int_equal(tenon_dim_is_symbol(word), 1);
  assert_ptr_equal(tenon_dim_symbol(word), rows.as.symbol);
  int64_t half = 0, same = 0;
  int32_t holds = 0;
  assert_ok(tenon_dim_apply(TENON_SYMBOL_MUL, word, 6, &half));
  assert_ok(tenon_dim_apply(TENON_SYMBOL_FLOORDIV, half, 6, &same));
  assert_int_equal(same, word);
  assert_ok(tenon_dim_compare(TENON_SYMBOL_EQ, word, 1, &holds));
  assert_int_equal(holds, 0);
  tenon_tensor* x = matrix_of(word, 3);
  assert_ok(tenon_tensor_specialize(x, "x"));
  assert_int_equal(tenon_tensor_numel(x), 12);
  tenon_tensor_release(x);
  tenon_value_clear(&rows);
  tenon_shape_env_release(env);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes_stay_symbolic_through_operators),
                                     cmocka_unit_test(test_decisions_are_recorded_and_checked),
                                     cmocka_unit_test(test_symbols_keep_their_environment),
                                     cmocka_unit_test(test_a_shape_rule_calculates_with_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
