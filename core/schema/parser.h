// SPDX-License-Identifier: Apache-2.0
// Parses schemas, operator names and types. Errors have code TENON_ERROR_PARSE, one line that says
// what is wrong and where, the line of the text, and a caret below the place.
#pragma once

#include <string_view>

#include "schema/schema.h"

namespace tenon::schema {

/// Parses "ns::name.overload(args) -> returns". A name without namespace gets `default_ns`, unless
/// that is "".
SchemaPtr parse_schema(std::string_view text, std::string_view default_ns = {});

/// Parses "ns::name.overload"; as above for `default_ns`.
OperatorName parse_operator_name(std::string_view text, std::string_view default_ns = {});

/// What `define` is given: a whole schema, or only an operator's name (`schema` is empty then).
struct SchemaOrName {
  OperatorName name;
  SchemaPtr schema;
};
SchemaOrName parse_schema_or_name(std::string_view text, std::string_view default_ns = {});

/// Parses a kernel's own description "(Tensor _0, int _1) -> Tensor"; its name is `name`.
SchemaPtr parse_signature(std::string_view text, OperatorName name);

/// Parses one type, without alias annotations.
const Type* parse_type(std::string_view text);

}  // namespace tenon::schema
