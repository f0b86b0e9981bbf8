// SPDX-License-Identifier: Apache-2.0
// Questions about aliasing between the arguments and returns of a schema.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/schema.h"

namespace tenon::schema {

/// One argument or return by position.
struct Place {
  enum Side { kArgument, kReturn } side;
  int64_t index;
};

/// Has an annotation. Error TENON_ERROR_INDEX for a bad index, here and below.
bool is_aliasing(const Schema& schema, Place place);
/// Is written.
bool is_mutable(const Schema& schema, Place place);
/// Is written. Error TENON_ERROR_NOT_FOUND when no argument has this name.
bool is_mutable(const Schema& schema, std::string_view argument);
/// May be the same memory: types that can alias, and a set in common after the call.
bool may_alias(const Schema& schema, Place a, Place b);
/// May be the same memory, or `a` may hold something that `b` is or holds; with `bidirectional`
/// also the other way round.
bool may_contain_alias(const Schema& schema, Place a, Place b, bool bidirectional = true);

}  // namespace tenon::schema
