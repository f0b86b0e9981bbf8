// SPDX-License-Identifier: Apache-2.0
// Schemas over core/schema; see tenon/schema.h.
#include "tenon/schema.h"

#include <cstddef>
#include <cstring>

#include "base/check.h"
#include "call_arguments.h"
#include "dispatch/argument_binder.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "schema/compatibility.h"
#include "schema/inference.h"
#include "schema/parser.h"
#include "schema/printer.h"
#include "schema/schema.h"

using tenon::capi::guarded;
using tenon::schema::Argument;
using tenon::schema::InternedString;

namespace {

uint32_t flags_of(const Argument& argument) {
  uint32_t flags = 0;
  if (argument.kwarg_only) flags |= TENON_ARGUMENT_KWARG_ONLY;
  if (argument.is_out()) flags |= TENON_ARGUMENT_OUT;
  if (argument.default_value != nullptr) flags |= TENON_ARGUMENT_HAS_DEFAULT;
  if (argument.is_written()) flags |= TENON_ARGUMENT_WRITTEN;
  if (argument.alias != nullptr) flags |= TENON_ARGUMENT_ALIASED;
  return flags;
}

void fill(const char* function, tenon_schema::Arguments list, int64_t index, int64_t aliased,
          tenon_argument_info* out_info) {
  tenon::capi::fill_struct(function, tenon::capi::kFirstArgumentInfo, out_info, [&] {
    TENON_CHECK_INDEX(index >= 0 && index < static_cast<int64_t>(list.size()), function,
                      ": index must be in [0, ", list.size(), "), got ", index);
    const Argument& argument = list[static_cast<size_t>(index)];
    tenon_argument_info info = {};
    info.flags = flags_of(argument);
    info.name = argument.name.c_str();
    info.type = argument.type;
    // Interned, because there are few distinct texts.
    info.type_text = InternedString(tenon::schema::print_type(argument)).c_str();
    info.alias_text = InternedString(tenon::schema::print_alias(argument)).c_str();
    info.default_value = tenon::dispatch::default_value(argument);
    info.list_size = argument.list_size;
    info.aliased_argument = aliased;
    return info;
  });
}

}  // namespace

extern "C" {

tenon_status tenon_schema_parse(const char* text, int64_t size, tenon_schema** out_schema) {
  TENON_REQUIRE(out_schema);
  *out_schema = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(text != nullptr, "tenon_schema_parse: text must not be NULL");
    TENON_CHECK_ARG(size >= -1, "tenon_schema_parse: size must be >= -1, got ", size);
    const size_t length = size < 0 ? std::strlen(text) : static_cast<size_t>(size);
    *out_schema = tenon::schema::parse_schema({text, length}).detach();
  });
}

tenon_schema* tenon_schema_retain(tenon_schema* schema) {
  if (schema != nullptr) schema->retain();
  return schema;
}

void tenon_schema_release(tenon_schema* schema) {
  if (schema != nullptr) schema->release();
}

const char* tenon_schema_text(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  const char* text = "";
  const tenon_status status = guarded([&] { text = schema->text(); });
  return status == TENON_OK ? text : "";
}

const char* tenon_schema_name(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  return schema->name().name.c_str();
}

const char* tenon_schema_overload(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  return schema->name().overload.c_str();
}

int64_t tenon_schema_argument_count(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  return static_cast<int64_t>(schema->arguments().size());
}

int64_t tenon_schema_return_count(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  return static_cast<int64_t>(schema->returns().size());
}

tenon_status tenon_schema_get_argument(const tenon_schema* schema, int64_t index,
                                       tenon_argument_info* out_info) {
  TENON_REQUIRE(out_info);
  TENON_REQUIRE(schema);
  return guarded(
      [&] { fill("tenon_schema_get_argument", schema->arguments(), index, -1, out_info); });
}

tenon_status tenon_schema_get_return(const tenon_schema* schema, int64_t index,
                                     tenon_argument_info* out_info) {
  TENON_REQUIRE(out_info);
  TENON_REQUIRE(schema);
  return guarded([&] {
    const auto& returns = schema->returns();
    const bool valid = index >= 0 && index < static_cast<int64_t>(returns.size());
    const int64_t aliased =
        valid ? schema->aliased_argument(static_cast<size_t>(index)) : int64_t{-1};
    fill("tenon_schema_get_return", returns, index, aliased, out_info);
  });
}

uint32_t tenon_schema_flags(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  uint32_t flags = 0;
  if (schema->is_mutable()) flags |= TENON_SCHEMA_MUTABLE;
  if (schema->is_vararg()) flags |= TENON_SCHEMA_VARARG;
  if (schema->is_varret()) flags |= TENON_SCHEMA_VARRET;
  if (schema->is_functional()) flags |= TENON_SCHEMA_FUNCTIONAL;
  return flags;
}

int32_t tenon_schema_equal(const tenon_schema* a, const tenon_schema* b) {
  TENON_NEVER_NULL(a);
  TENON_NEVER_NULL(b);
  return a == b || *a == *b ? 1 : 0;
}

tenon_status tenon_schema_check_compatible(const tenon_schema* newer, const tenon_schema* older,
                                           int32_t forward) {
  TENON_REQUIRE(newer);
  TENON_REQUIRE(older);
  return guarded([&] {
    const auto check = [&](const char* direction, const std::optional<std::string>& reason) {
      TENON_CHECK_ARG(!reason, newer->name().full(), ": not ", direction, " compatible: ", *reason);
    };
    check("backward", tenon::schema::backward_incompatibility(*newer, *older));
    if (forward != 0) check("forward", tenon::schema::forward_incompatibility(*newer, *older));
  });
}

uint32_t tenon_type_kind(const tenon_type* type) {
  TENON_NEVER_NULL(type);
  return type->kind;
}

int64_t tenon_type_element_count(const tenon_type* type) {
  TENON_NEVER_NULL(type);
  return static_cast<int64_t>(type->elements.size());
}

const tenon_type* tenon_type_element(const tenon_type* type, int64_t index) {
  TENON_NEVER_NULL(type);
  if (index < 0 || index >= tenon_type_element_count(type)) return nullptr;
  return type->elements[static_cast<size_t>(index)];
}

const char* tenon_type_text(const tenon_type* type) {
  TENON_NEVER_NULL(type);
  return type->text.c_str();
}

const char* tenon_schema_signature(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  const char* letters = "";
  // Interned, because there are few distinct signatures.
  const tenon_status status =
      guarded([&] { letters = InternedString(tenon::schema::signature_codes(*schema)).c_str(); });
  return status == TENON_OK ? letters : "";
}

uint64_t tenon_schema_signature_hash(const tenon_schema* schema) {
  TENON_NEVER_NULL(schema);
  uint64_t hash = 0;
  const tenon_status status = guarded([&] {
    const std::string letters = tenon::schema::signature_codes(*schema);
    if (!letters.empty()) hash = tenon::schema::signature_hash(letters);
  });
  return status == TENON_OK ? hash : 0;
}

tenon_status tenon_schema_bind(const tenon_schema* schema, const tenon_value* positional,
                               int64_t npositional, const char* const* names,
                               const tenon_value* named, int64_t nnamed, tenon_value* out_values) {
  TENON_REQUIRE(schema);
  if (!schema->arguments().empty()) TENON_REQUIRE(out_values);
  return guarded([&] {
    tenon::dispatch::bind_arguments(*schema,
                                    tenon::capi::call_arguments("tenon_schema_bind", positional,
                                                                npositional, names, named, nnamed),
                                    out_values);
  });
}

}  // extern "C"
