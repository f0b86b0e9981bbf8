// SPDX-License-Identifier: Apache-2.0
// Queries about aliasing between the arguments and returns of a schema.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/schema.h"

namespace tenon::schema {

/// An argument or a return, by position.
struct SchemaPosition {
  enum Side { kArgument, kReturn } side;
  int64_t index;
};

/// Returns true if the place has an alias annotation. Like all functions below, throws
/// TENON_ERROR_INDEX for an index out of range.
bool is_aliasing(const Schema& schema, SchemaPosition place);
/// Returns true if the place is written.
bool is_mutable(const Schema& schema, SchemaPosition place);
/// Returns true if the argument is written. Throws TENON_ERROR_NOT_FOUND if there is no argument
/// with this name.
bool is_mutable(const Schema& schema, std::string_view argument);
/// Returns true if both may share memory: their types can alias, and they share a set after the
/// call.
bool may_alias(const Schema& schema, SchemaPosition a, SchemaPosition b);
/// Returns true if `a` and `b` may alias, or if an element of `a` may alias `b` or an element of
/// `b`. With `bidirectional`, also returns true if an element of `b` may alias `a`.
bool may_contain_alias(const Schema& schema, SchemaPosition a, SchemaPosition b,
                       bool bidirectional = true);

}  // namespace tenon::schema
