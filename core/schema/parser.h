// SPDX-License-Identifier: Apache-2.0
// Parses schemas, operator names and types. Throws TENON_ERROR_PARSE with one line that states the
// problem and its position, followed by the line of the text and a caret.
#pragma once

#include <string_view>

#include "schema/schema.h"

namespace tenon::schema {

/// Parses "ns::name.overload(args) -> returns". A name without namespace gets `default_ns`, unless
/// that is "".
SchemaPtr parse_schema(std::string_view text, std::string_view default_ns = {});

/// Parses "ns::name.overload"; `default_ns` as in parse_schema().
OperatorName parse_operator_name(std::string_view text, std::string_view default_ns = {});

/// The argument of a definition: a whole schema, or only an operator's name (`schema` is NULL).
struct SchemaOrName {
  OperatorName name;
  SchemaPtr schema;
};
SchemaOrName parse_schema_or_name(std::string_view text, std::string_view default_ns = {});

/// Parses a kernel's signature "(Tensor _0, int _1) -> Tensor" as a schema named `name`.
SchemaPtr parse_signature(std::string_view text, OperatorName name);

/// Parses a type without alias annotations.
const Type* parse_type(std::string_view text);

}  // namespace tenon::schema
