// SPDX-License-Identifier: Apache-2.0
// Schemas: any text is parsed or refused; a parsed schema prints as text that parses to an equal
// one.
#include "fuzz.h"

namespace tenon::fuzz {
namespace {

// Parses, or returns NULL after checking the error.
tenon_schema* parse(std::string_view text) {
  tenon_schema* schema = nullptr;
  const char* bytes = text.empty() ? "" : text.data();
  const tenon_status status = tenon_schema_parse(bytes, static_cast<int64_t>(text.size()), &schema);
  FUZZ_CHECK((status == TENON_OK) == (schema != nullptr));
  if (status != TENON_OK) FUZZ_CHECK(status == TENON_ERROR_PARSE, tenon_status_name(status));
  const std::string message = settle(status);
  if (is_utf8(text)) FUZZ_CHECK(is_utf8(message), message);
  return schema;
}

void visit(const tenon_type* type) {
  FUZZ_CHECK(type != nullptr);
  FUZZ_CHECK(tenon_type_text(type)[0] != '\0');
  const int64_t count = tenon_type_element_count(type);
  FUZZ_CHECK((tenon_type_kind(type) < TENON_TYPE_OPTIONAL) == (count == 0), tenon_type_text(type));
  for (int64_t i = 0; i < count; ++i) visit(tenon_type_element(type, i));
  FUZZ_CHECK(tenon_type_element(type, -1) == nullptr);
  FUZZ_CHECK(tenon_type_element(type, count) == nullptr);
}

using Get = tenon_status (*)(const tenon_schema*, int64_t, tenon_argument_info*);

void visit_all(const tenon_schema* schema, Get get, int64_t count) {
  const int64_t arguments = tenon_schema_argument_count(schema);
  for (int64_t i = -1; i <= count; ++i) {
    tenon_argument_info info{};
    info.struct_size = sizeof info;
    const tenon_status status = get(schema, i, &info);
    if (i < 0 || i == count) {
      FUZZ_CHECK(status == TENON_ERROR_INDEX);
      settle(status);
      continue;
    }
    // A default device may name a backend that is not registered.
    if (status != TENON_OK) FUZZ_CHECK(status == TENON_ERROR_NOT_FOUND, tenon_status_name(status));
    settle(status);
    if (status != TENON_OK) continue;
    visit(info.type);
    FUZZ_CHECK((info.default_value != nullptr) == ((info.flags & TENON_ARGUMENT_HAS_DEFAULT) != 0));
    FUZZ_CHECK((info.alias_text[0] != '\0') == ((info.flags & TENON_ARGUMENT_ALIASED) != 0));
    FUZZ_CHECK(info.aliased_argument >= -1 && info.aliased_argument < arguments);
    if (info.default_value != nullptr) {
      tenon_buffer* text = nullptr;
      FUZZ_CHECK(tenon_value_print(info.default_value, &text) == TENON_OK);
      tenon_buffer_release(text);
    }
  }
}

void examine(const tenon_schema* schema) {
  const std::string text = tenon_schema_text(schema);
  tenon_schema* again = parse(text);
  FUZZ_CHECK(again != nullptr, text);
  FUZZ_CHECK(tenon_schema_equal(schema, again) == 1, text);
  FUZZ_CHECK(tenon_schema_text(again) == text, text);
  FUZZ_CHECK(tenon_schema_flags(schema) == tenon_schema_flags(again), text);
  const tenon_status compatible = tenon_schema_check_compatible(again, schema, 1);
  settle(compatible);
  FUZZ_CHECK(compatible == TENON_OK, text);
  visit_all(schema, &tenon_schema_get_argument, tenon_schema_argument_count(schema));
  visit_all(schema, &tenon_schema_get_return, tenon_schema_return_count(schema));
  tenon_schema_release(again);
}

}  // namespace

// The input is one schema, or two separated by a newline, which are compared as well.
void fuzz_schema(const uint8_t* data, size_t size) {
  const LeakCheck nothing_left;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t newline = all.find('\n');
  tenon_schema* first = parse(all.substr(0, newline));
  if (first != nullptr) examine(first);
  if (newline != std::string_view::npos) {
    tenon_schema* second = parse(all.substr(newline + 1));
    if (first != nullptr && second != nullptr) {
      examine(second);
      const bool equal = tenon_schema_equal(first, second) == 1;
      FUZZ_CHECK(equal == (tenon_schema_equal(second, first) == 1));
      const tenon_status compatible = tenon_schema_check_compatible(second, first, 1);
      if (compatible != TENON_OK) FUZZ_CHECK(compatible == TENON_ERROR_INVALID_ARGUMENT);
      settle(compatible);
      FUZZ_CHECK(!equal || compatible == TENON_OK);
    }
    tenon_schema_release(second);
  }
  tenon_schema_release(first);
}

}  // namespace tenon::fuzz
