// SPDX-License-Identifier: Apache-2.0
// Texts that are not UTF-8: refused as arguments and as results, wherever in a value they stand.
#include "support.h"

static const char kBad[] = "gr\xfc\xdf", kGood[] = "gr\xc3\xbc\xc3\x9f";

// Values that contain one text each, at different depths. They own nothing.
typedef struct Samples {
  tenon_value text, list, lists, by_text, of_texts, tuple, deep;
  tenon_value texts_[2], lists_[2], by_text_[2], of_texts_[4], tuple_[2], pairs_[2], deep_[1];
} Samples;

static void make_samples(Samples* all, const char* text) {
  const tenon_value good = value_text("good"), number = tenon_value_of_int(7);
  all->text = value_text(text);
  all->texts_[0] = good, all->texts_[1] = all->text;
  all->list = tenon_value_of_elements(TENON_TAG_LIST, all->texts_, 2);
  all->lists_[0] = tenon_value_of_elements(TENON_TAG_LIST, all->texts_, 1);
  all->lists_[1] = all->list;
  all->lists = tenon_value_of_elements(TENON_TAG_LIST, all->lists_, 2);
  all->by_text_[0] = all->text, all->by_text_[1] = number;
  all->by_text = tenon_value_of_elements(TENON_TAG_DICT, all->by_text_, 1);
  all->of_texts_[0] = good, all->of_texts_[1] = good;
  all->of_texts_[2] = value_text("other"), all->of_texts_[3] = all->text;
  all->of_texts = tenon_value_of_elements(TENON_TAG_DICT, all->of_texts_, 2);
  all->tuple_[0] = number, all->tuple_[1] = all->text;
  all->tuple = tenon_value_of_elements(TENON_TAG_TUPLE, all->tuple_, 2);
  all->pairs_[0] = good, all->pairs_[1] = all->lists;
  all->deep_[0] = tenon_value_of_elements(TENON_TAG_DICT, all->pairs_, 1);
  all->deep = tenon_value_of_elements(TENON_TAG_LIST, all->deep_, 1);
}

#define BYTES "bytes that are not UTF-8"
#define IN_LIST "list (element 1 is " BYTES ")"
#define IN_LISTS "list (element 1 is " IN_LIST ")"
#define IN_DEEP "list (element 0 is dict (value 0 is " IN_LISTS "))"

typedef struct Case {
  const char* type;
  size_t sample;  // offset of the value in Samples
  const char* actual;
} Case;

static const Case kCases[] = {
    {"str", offsetof(Samples, text), BYTES},
    {"str?", offsetof(Samples, text), BYTES},
    {"Any", offsetof(Samples, text), BYTES},
    {"Union(int, str)", offsetof(Samples, text), BYTES},
    {"str[]", offsetof(Samples, list), IN_LIST},
    {"str[]?", offsetof(Samples, list), IN_LIST},
    {"str?[]", offsetof(Samples, list), IN_LIST},
    {"Any[]", offsetof(Samples, list), IN_LIST},
    {"str[][]", offsetof(Samples, lists), IN_LISTS},
    {"Dict(str, int)", offsetof(Samples, by_text), "dict (key 0 is " BYTES ")"},
    {"Dict(str, str)", offsetof(Samples, of_texts), "dict (value 1 is " BYTES ")"},
    {"(int, str)", offsetof(Samples, tuple), "tuple (element 1 is " BYTES ")"},
    {"Any", offsetof(Samples, deep), IN_DEEP},
    {"Dict(str, str[][])[]", offsetof(Samples, deep), IN_DEEP},
};
#define CASES (sizeof kCases / sizeof kCases[0])

static tenon_value* sample_of(const Case* tried, Samples* all) {
  return (tenon_value*)((char*)all + tried->sample);
}

static tenon_library* library;
static const tenon_op* op;

// "texts::f(<type> x) -> (<type>)", which returns its argument.
static tenon_status give_back(void* ctx, const tenon_op* called, tenon_keyset keys,
                              tenon_stack* stack) {
  (void)ctx, (void)called, (void)keys;
  return tenon_value_copy(&stack->args[0], &stack->rets[0]);
}

static void define(const char* type) {
  char schema[128];
  const tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = &give_back};
  snprintf(schema, sizeof schema, "f(%s x) -> (%s)", type, type);
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "texts", TENON_KEY_NONE, NULL, 0, &library));
  assert_ok(tenon_library_define(library, schema, NULL, &op));
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &kernel, NULL));
}

static void assert_refused(tenon_status status, const char* what, const Case* tried) {
  char message[256];
  snprintf(message, sizeof message, "texts::f: %s must be %s, got %s", what, tried->type,
           tried->actual);
  assert_error(status, TENON_ERROR_TYPE, message);
}

static tenon_status call_checked(tenon_value* arg, tenon_value* result) {
  tenon_stack stack = {.args = arg, .nargs = 1, .rets = result, .nrets = 1};
  *result = tenon_value_of_none();
  return tenon_op_call(op, &stack);
}

static tenon_status call_frame(tenon_value* arg, tenon_value* result) {
  tenon_frame frame;
  tenon_stack stack = {.args = arg, .nargs = 1, .rets = result, .nrets = 1};
  *result = tenon_value_of_none();
  assert_non_null(tenon_frame_begin_n(op, NULL, 0, &frame));
  return tenon_frame_end(&frame, tenon_frame_call(&frame, &stack));
}

static void results_are_utf8(void** state) {
  (void)state;
  for (const Case* tried = kCases; tried < kCases + CASES; ++tried) {
    Samples samples;
    tenon_value result;
    define(tried->type);
    make_samples(&samples, kBad);
    assert_refused(call(op, sample_of(tried, &samples), 1, &result, 1), "result 0", tried);
    assert_int_equal(result.tag, TENON_TAG_NONE);
    make_samples(&samples, kGood);
    assert_ok(call(op, sample_of(tried, &samples), 1, &result, 1));
    assert_int_equal(result.tag, sample_of(tried, &samples)->tag);
    tenon_value_clear(&result);
    tenon_library_release(library);
  }
}

static void arguments_of_checked_calls_are_utf8(void** state) {
  (void)state;
  for (const Case* tried = kCases; tried < kCases + CASES; ++tried) {
    Samples samples;
    tenon_value result, *arg = sample_of(tried, &samples);
    const char* name = "x";
    define(tried->type);
    make_samples(&samples, kBad);
    assert_refused(call_checked(arg, &result), "x", tried);
    assert_refused(tenon_op_check_arguments(op, arg, 1), "x", tried);
    assert_refused(call_frame(arg, &result), "x", tried);
    assert_refused(tenon_op_call_named(op, arg, 1, NULL, NULL, 0, &result, 1), "x", tried);
    assert_refused(tenon_op_call_named(op, NULL, 0, &name, arg, 1, &result, 1), "x", tried);
    make_samples(&samples, kGood);
    assert_ok(tenon_op_check_arguments(op, arg, 1));
    assert_ok(call_checked(arg, &result));
    tenon_value_clear(&result);
    assert_ok(call_frame(arg, &result));
    tenon_value_clear(&result);
    assert_ok(tenon_op_call_named(op, NULL, 0, &name, arg, 1, &result, 1));
    tenon_value_clear(&result);
    tenon_library_release(library);
  }
}

static void more_arguments_than_the_schema_names_are_utf8(void** state) {
  (void)state;
  Samples samples;
  tenon_library* own = NULL;
  const tenon_op* open = NULL;
  const char* const refusal = "more::f: argument 1 must be Any, got " IN_LIST;
  assert_ok(tenon_library_new(TENON_LIBRARY_DEF, "more", TENON_KEY_NONE, NULL, 0, &own));
  assert_ok(tenon_library_define(own, "f(str x, ...) -> ()", NULL, &open));
  make_samples(&samples, kBad);
  const tenon_value bad[] = {value_text("good"), samples.list};
  assert_error(tenon_op_check_arguments(open, bad, 2), TENON_ERROR_TYPE, refusal);
  tenon_stack stack = {.args = (tenon_value*)bad, .nargs = 2};
  assert_error(tenon_op_call(open, &stack), TENON_ERROR_TYPE, refusal);
  make_samples(&samples, kGood);
  const tenon_value good[] = {value_text("good"), samples.list};
  assert_ok(tenon_op_check_arguments(open, good, 2));
  tenon_library_release(own);
}

static void schemas_and_their_defaults_are_utf8(void** state) {
  (void)state;
  static const char* const refusals[][2] = {
      {"f(str x=\"gr\xfc\") -> ()", "schema: text must be UTF-8, got other bytes"},
      {"f(str \xfc) -> ()", "schema: text must be UTF-8, got other bytes"},
      {"f(str x='\\374') -> ()", "f: a string whose escapes are not UTF-8, at column 9"},
      {"f(str[] x=['a']) -> ()", "the default of argument 'x' must be left out, got '['"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; ++i) {
    tenon_schema* schema = NULL;
    const char* text = refusals[i][0];
    assert_error(tenon_schema_parse(text, (int64_t)strlen(text), &schema), TENON_ERROR_PARSE,
                 refusals[i][1]);
  }
  const char* const good = "f(str x='\\303\\274', str y=\"\xc3\xbc\") -> ()";
  tenon_schema* schema = NULL;
  assert_ok(tenon_schema_parse(good, (int64_t)strlen(good), &schema));
  tenon_schema_release(schema);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_utf8),
      cmocka_unit_test(arguments_of_checked_calls_are_utf8),
      cmocka_unit_test(more_arguments_than_the_schema_names_are_utf8),
      cmocka_unit_test(schemas_and_their_defaults_are_utf8),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
