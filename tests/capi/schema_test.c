// SPDX-License-Identifier: Apache-2.0
// schema.h from C: parsing, printing, arguments, types, compatibility, binding.
#include "support.h"

static tenon_schema* parse(const char* text) {
  tenon_schema* schema = NULL;
  assert_ok(tenon_schema_parse(text, -1, &schema));
  return schema;
}

static void schema_prints_what_it_parsed(void** state) {
  (void)state;
  const live_counts before = count_live();
  const char* text =
      "ns::op.over(Tensor(a!) x, int[2] d=[1, 2], *, float? eps=None, str m=\"x\") -> Tensor(a!)";
  tenon_schema* schema = parse(text);
  assert_string_equal(tenon_schema_text(schema), text);
  assert_string_equal(tenon_schema_name(schema), "ns::op");
  assert_string_equal(tenon_schema_overload(schema), "over");
  assert_int_equal(tenon_schema_argument_count(schema), 4);
  assert_int_equal(tenon_schema_return_count(schema), 1);
  assert_true(tenon_schema_flags(schema) & TENON_SCHEMA_MUTABLE);
  assert_false(tenon_schema_flags(schema) & TENON_SCHEMA_FUNCTIONAL);
  tenon_schema_release(schema);
  assert_nothing_left(before);
}

static void arguments_are_described(void** state) {
  (void)state;
  tenon_schema* schema =
      parse("op(Tensor(a!) x, int[2] d=1, *, float? eps=None, Tensor(b!) out) -> Tensor(b!)");
  tenon_argument_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  assert_ok(tenon_schema_get_argument(schema, 0, &info));
  assert_string_equal(info.name, "x");
  assert_string_equal(info.type_text, "Tensor");
  assert_string_equal(info.alias_text, "(a!)");
  assert_int_equal(info.flags, TENON_ARGUMENT_WRITTEN | TENON_ARGUMENT_ALIASED);
  assert_ok(tenon_schema_get_argument(schema, 1, &info));
  assert_int_equal(info.list_size, 2);
  assert_int_equal(info.default_value->tag, TENON_TAG_INT_LIST);
  assert_int_equal(info.default_value->count, 2);
  assert_int_equal(((const int64_t*)info.default_value->as.list.data)[1], 1);
  assert_int_equal(tenon_type_kind(info.type), TENON_TYPE_LIST);
  assert_int_equal(tenon_type_kind(tenon_type_element(info.type, 0)), TENON_TYPE_INT);
  assert_null(tenon_type_element(info.type, 1));
  assert_ok(tenon_schema_get_argument(schema, 2, &info));
  assert_true(info.flags & TENON_ARGUMENT_KWARG_ONLY);
  assert_int_equal(info.default_value->tag, TENON_TAG_NONE);
  assert_string_equal(tenon_type_text(info.type), "float?");
  assert_ok(tenon_schema_get_argument(schema, 3, &info));
  assert_true(info.flags & TENON_ARGUMENT_OUT);
  assert_ok(tenon_schema_get_return(schema, 0, &info));
  assert_int_equal(info.aliased_argument, 3);
  assert_error(tenon_schema_get_argument(schema, 4, &info), TENON_ERROR_INDEX, "4");
  info.struct_size = 3;
  assert_error(tenon_schema_get_argument(schema, 0, &info), TENON_ERROR_ABI, "struct_size");
  tenon_schema_release(schema);
}

static void alias_texts_say_where_in_a_type(void** state) {
  (void)state;
  tenon_schema* schema = parse("op((int, Tensor(a!)) x, Tensor(b)[](c) y, Tensor z) -> ()");
  const char* const texts[] = {"(, (a!))", "(b)[](c)", ""};
  tenon_argument_info info;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  for (int i = 0; i < 3; ++i) {
    assert_ok(tenon_schema_get_argument(schema, i, &info));
    assert_string_equal(info.alias_text, texts[i]);
    assert_int_equal((info.flags & TENON_ARGUMENT_ALIASED) != 0, texts[i][0] != '\0');
  }
  tenon_schema_release(schema);
}

static void malformed_text_is_refused_with_position(void** state) {
  (void)state;
  static const char* const bad[] = {
      "",
      "op",
      "op(",
      "op(Tensor x) -> ",
      "op(Tensor) -> Tensor",
      "op(Tensor x, Tensor x) -> Tensor",
      "op(int x=1.5) -> ()",
      "op(int64_t x) -> ()",
      "op(Tensor?(a!) x) -> ()",
      "op(Tensor(!) x) -> ()",
      "op(int a=1, int b) -> ()",
      "op(int[2][3] a) -> ()",
      "op(Tensor x) -> Tensor trailing junk",
      "ns::op.default(Tensor x) -> Tensor",
      "a::b::c(Tensor x) -> Tensor",
      "op(..., Tensor x) -> ()",
  };
  const live_counts before = count_live();
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    tenon_schema* schema = (tenon_schema*)bad;  // must be cleared
    const tenon_status status = tenon_schema_parse(bad[i], -1, &schema);
    if (status != TENON_ERROR_PARSE) {
      fail_msg("\"%s\" must be refused", bad[i]);
    }
    assert_null(schema);
    tenon_error_release(tenon_error_take());
  }
  assert_nothing_left(before);
}

static void length_is_honoured(void** state) {
  (void)state;
  tenon_schema* schema = NULL;
  assert_ok(tenon_schema_parse("op() -> ()garbage", 10, &schema));
  assert_string_equal(tenon_schema_text(schema), "op() -> ()");
  tenon_schema_release(schema);
}

static void compatibility_gives_reasons(void** state) {
  (void)state;
  tenon_schema* old = parse("ns::f(Tensor x) -> Tensor");
  tenon_schema* wider = parse("ns::f(Tensor x, int n=1) -> Tensor");
  tenon_schema* breaking = parse("ns::f(Tensor x, int n) -> Tensor");
  assert_ok(tenon_schema_check_compatible(wider, old, 0));
  assert_error(tenon_schema_check_compatible(breaking, old, 0), TENON_ERROR_INVALID_ARGUMENT, "n");
  assert_int_equal(tenon_schema_equal(old, wider), 0);
  assert_int_equal(tenon_schema_equal(old, old), 1);
  tenon_schema_release(old);
  tenon_schema_release(wider);
  tenon_schema_release(breaking);
}

// Binds to "ns::f(Tensor x, int[2] n=[7, 8], *, float k=0.5) -> ()".
static tenon_status bind(const tenon_schema* schema, const tenon_value* positional,
                         int64_t npositional, const char* const* names, const tenon_value* named,
                         int64_t nnamed, tenon_value* out_values) {
  memset(out_values, 0xa5, 3 * sizeof *out_values);  // whatever was there is overwritten
  return tenon_schema_bind(schema, positional, npositional, names, named, nnamed, out_values);
}

static void assert_none(const tenon_value* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    assert_int_equal(values[i].tag, TENON_TAG_NONE);
    assert_int_equal(values[i].flags, 0);
  }
}

static void binding_borrows_what_it_does_not_make(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_schema* schema = parse("ns::f(Tensor x, int[2] n=[7, 8], *, float k=0.5) -> ()");
  const float one = 1.0f;
  tenon_value given[2] = {tenon_value_of_tensor(vector_of(&one, 1)), tenon_value_of_int(3)};
  given[0].flags = TENON_VALUE_OWNED | TENON_VALUE_MOVABLE;
  tenon_value bound[3];
  assert_ok(bind(schema, given, 1, NULL, NULL, 0, bound));
  assert_ptr_equal(bound[0].as.tensor, given[0].as.tensor);
  assert_int_equal(bound[0].flags, 0);
  tenon_argument_info info = {.struct_size = sizeof info};
  assert_ok(tenon_schema_get_argument(schema, 1, &info));
  assert_ptr_equal(bound[1].as.list.data, info.default_value->as.list.data);
  assert_int_equal(bound[1].flags, 0);
  assert_ok(bind(schema, given, 2, NULL, NULL, 0, bound));
  assert_int_equal(bound[1].tag, TENON_TAG_INT_LIST);
  assert_int_equal(bound[1].flags, TENON_VALUE_OWNED);
  assert_int_equal(((const int64_t*)bound[1].as.list.data)[1], 3);
  tenon_value_clear_n(bound, 3);
  tenon_value_clear(&given[0]);
  tenon_schema_release(schema);
  assert_nothing_left(before);
}

static void failed_binding_keeps_nothing(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_schema* schema = parse("ns::f(Tensor x, int[2] n=[7, 8], *, float k=0.5) -> ()");
  const float one = 1.0f;
  tenon_value given[2] = {tenon_value_of_tensor(vector_of(&one, 1)), tenon_value_of_int(3)};
  const char* twice[2] = {"k", "k"};
  const char* nameless[1] = {NULL};
  const tenon_value numbers[2] = {tenon_value_of_int(1), tenon_value_of_int(2)};
  tenon_value bound[3];
  assert_error(bind(schema, given, 2, twice, numbers, 2, bound), TENON_ERROR_TYPE,
               "ns::f: k must be given once, got it twice");
  assert_none(bound, 3);
  assert_error(bind(schema, given, 2, nameless, numbers, 1, bound), TENON_ERROR_INVALID_ARGUMENT,
               "ns::f: argument names must be strings, got NULL");
  assert_none(bound, 3);
  assert_error(tenon_schema_bind(schema, NULL, 1, NULL, NULL, 0, bound),
               TENON_ERROR_INVALID_ARGUMENT, "positional must be given, got NULL");
  assert_error(tenon_schema_bind(schema, NULL, -1, NULL, NULL, 0, bound),
               TENON_ERROR_INVALID_ARGUMENT, "npositional must be a count of values, got -1");
  assert_error(tenon_schema_bind(schema, given, 1, NULL, NULL, 1, bound),
               TENON_ERROR_INVALID_ARGUMENT, "names and named must be given, got NULL");
  tenon_tensor_release(given[0].as.tensor);
  tenon_schema_release(schema);
  assert_nothing_left(before);
}

static void text_that_names_no_device_says_where_it_was_given(void** state) {
  (void)state;
  tenon_schema* schema = parse("ns::g(Device where) -> ()");
  const tenon_value text = value_text("nowhere:0");
  tenon_value bound[1];
  const tenon_status status = tenon_schema_bind(schema, &text, 1, NULL, NULL, 0, bound);
  assert_int_equal(status, TENON_ERROR_NOT_FOUND);
  assert_string_equal(tenon_error_note(tenon_error_peek(), 0), "argument 'where' of ns::g");
  tenon_error_release(tenon_error_take());
  tenon_schema_release(schema);
}

// Elements of another kind of list, nested lists, tuples and dicts, objects in lists.
static void lists_are_converted_element_by_element(void** state) {
  (void)state;
  const live_counts before = count_live();
  tenon_schema* schema =
      parse("ns::h(float[][] m, (int, float) t, Dict(str, float) d, Tensor?[] l, int?[] o) -> ()");
  const float one = 1.0f;
  tenon_tensor* x = vector_of(&one, 1);
  const int64_t row[2] = {1, 2};
  const tenon_value rows[1] = {tenon_value_of_ints(row, 2)};
  const tenon_value entry[2] = {value_text("a"), tenon_value_of_int(4)};
  const tenon_value tensors[2] = {tenon_value_of_tensor(x), tenon_value_of_none()};
  const tenon_value given[5] = {
      tenon_value_of_elements(TENON_TAG_TUPLE, rows, 1),
      tenon_value_of_ints(row, 2),
      tenon_value_of_elements(TENON_TAG_DICT, entry, 1),
      tenon_value_of_elements(TENON_TAG_LIST, tensors, 2),
      tenon_value_of_ints(row, 2),
  };
  tenon_value bound[5];
  assert_ok(tenon_schema_bind(schema, given, 5, NULL, NULL, 0, bound));
  const char* texts[5] = {"[[1.0, 2.0]]", "(1, 2.0)", "{'a': 4.0}", NULL, "[1, 2]"};
  const uint16_t tags[5] = {TENON_TAG_LIST, TENON_TAG_TUPLE, TENON_TAG_DICT, TENON_TAG_TENSOR_LIST,
                            TENON_TAG_LIST};
  for (int i = 0; i < 5; ++i) {
    assert_int_equal(bound[i].tag, tags[i]);
    tenon_buffer* text = NULL;
    assert_ok(tenon_value_print(&bound[i], &text));
    if (texts[i] != NULL) assert_string_equal(tenon_buffer_data(text), texts[i]);
    tenon_buffer_release(text);
  }
  tenon_tensor* const* handles = bound[3].as.list.data;
  assert_ptr_equal(handles[0], x);
  assert_null(handles[1]);
  tenon_value_clear_n(bound, 5);
  const tenon_value three[3] = {rows[0], rows[0], rows[0]};
  const tenon_value wrong[2] = {given[0], tenon_value_of_elements(TENON_TAG_TUPLE, three, 3)};
  assert_error(tenon_schema_bind(schema, wrong, 2, NULL, NULL, 0, bound), TENON_ERROR_TYPE,
               "ns::h: t must be (int, float), got tuple of 3 at position 1");
  tenon_tensor_release(x);
  tenon_schema_release(schema);
  assert_nothing_left(before);
}

static void absent_element_is_named(void** state) {
  (void)state;
  tenon_schema* schema = parse("ns::f(Tensor[] all) -> ()");
  const float one = 1.0f;
  tenon_tensor* tensors[2] = {vector_of(&one, 1), NULL};
  const tenon_value given = tenon_value_of_tensors(tensors, 2);
  tenon_value bound[1];
  assert_error(tenon_schema_bind(schema, &given, 1, NULL, NULL, 0, bound), TENON_ERROR_TYPE,
               "all must be Tensor[], got Tensor[] (element 1 is absent) at position 0");
  tenon_tensor_release(tensors[0]);
  tenon_schema_release(schema);
}

static void signature_is_that_of_kernels(void** state) {
  (void)state;
  tenon_schema* schema = parse("ns::f(Tensor x, Tensor y, *, Scalar alpha=1) -> Tensor");
  assert_string_equal(tenon_schema_signature(schema), "TTv>T");
  assert_true(tenon_schema_signature_hash(schema) == UINT64_C(0x75248d31ac81c403));
  tenon_schema_release(schema);
  schema = parse("ns::f(...) -> Tensor");
  assert_string_equal(tenon_schema_signature(schema), "");
  assert_true(tenon_schema_signature_hash(schema) == 0);
  tenon_schema_release(schema);
}

// f(int a, float b=2.0) -> float: their sum.
static tenon_status add_numbers(void* ctx, const tenon_op* op, tenon_keyset keys,
                                tenon_stack* stack) {
  (void)ctx, (void)op, (void)keys;
  const double sum = (double)stack->args[0].as.i + stack->args[1].as.f;
  stack->rets[0] = tenon_value_of_float(sum);
  return TENON_OK;
}

static void call_by_name_binds_and_calls(void** state) {
  (void)state;
  tenon_library* library = NULL;
  const tenon_op* op = NULL;
  assert_ok(
      tenon_library_new(TENON_LIBRARY_DEF, "named", TENON_KEY_NONE, __FILE__, __LINE__, &library));
  assert_ok(tenon_library_define(library, "f(int a, float b=2.0) -> float", NULL, &op));
  const tenon_kernel kernel = {.struct_size = sizeof kernel, .boxed = add_numbers};
  assert_ok(tenon_library_impl(library, "f", TENON_KEY_CPU, &kernel, NULL));
  const tenon_value forty = tenon_value_of_int(40);
  const char* names[1] = {"b"};
  const tenon_value named[1] = {tenon_value_of_int(1)};
  tenon_value result = {0, 0, 0, {0}};
  assert_ok(tenon_op_call_named(op, &forty, 1, NULL, NULL, 0, &result, 1));
  assert_true(result.as.f == 42.0);
  assert_ok(tenon_op_call_named(op, &forty, 1, names, named, 1, &result, 1));
  assert_true(result.as.f == 41.0);
  result = tenon_value_of_int(7);
  assert_error(tenon_op_call_named(op, NULL, 0, names, named, 1, &result, 1), TENON_ERROR_TYPE,
               "named::f: a must be given, got nothing");
  assert_int_equal(result.tag, TENON_TAG_NONE);
  assert_error(tenon_op_call_named(op, &forty, 1, NULL, NULL, 0, NULL, 0), TENON_ERROR_TYPE,
               "named::f: number of results must be 1, got 0");
  assert_error(tenon_op_call_named(op, &forty, 1, NULL, NULL, 0, NULL, 1),
               TENON_ERROR_INVALID_ARGUMENT, "rets must have space for the results");
  tenon_library_release(library);
  assert_error(tenon_op_call_named(op, &forty, 1, NULL, NULL, 0, &result, 1), TENON_ERROR_NOT_FOUND,
               "named::f: operator must be defined, got none");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schema_prints_what_it_parsed),
      cmocka_unit_test(arguments_are_described),
      cmocka_unit_test(alias_texts_say_where_in_a_type),
      cmocka_unit_test(malformed_text_is_refused_with_position),
      cmocka_unit_test(length_is_honoured),
      cmocka_unit_test(compatibility_gives_reasons),
      cmocka_unit_test(binding_borrows_what_it_does_not_make),
      cmocka_unit_test(failed_binding_keeps_nothing),
      cmocka_unit_test(text_that_names_no_device_says_where_it_was_given),
      cmocka_unit_test(lists_are_converted_element_by_element),
      cmocka_unit_test(absent_element_is_named),
      cmocka_unit_test(signature_is_that_of_kernels),
      cmocka_unit_test(call_by_name_binds_and_calls),
  };
  return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
