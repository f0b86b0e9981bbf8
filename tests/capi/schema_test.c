// SPDX-License-Identifier: Apache-2.0
// schema.h from C: parsing, printing, arguments, types, compatibility.
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(schema_prints_what_it_parsed),
      cmocka_unit_test(arguments_are_described),
      cmocka_unit_test(alias_texts_say_where_in_a_type),
      cmocka_unit_test(malformed_text_is_refused_with_position),
      cmocka_unit_test(length_is_honoured),
      cmocka_unit_test(compatibility_gives_reasons),
  };
  return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
