// SPDX-License-Identifier: Apache-2.0
// Binding of a call's arguments, given by position and by name, to the arguments of a schema.
#pragma once

#include <span>

#include "base/small_vector.h"
#include "dispatch/operator_entry.h"
#include "schema/schema.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// What a call was given. Names stand beside their values.
struct GivenArguments {
  std::span<const tenon_value> positional;
  std::span<const char* const> names;
  std::span<const tenon_value> named;
};

/// An argument's default, NULL without one. Throws TENON_ERROR_NOT_FOUND for a default device of a
/// backend that is not registered.
const tenon_value* default_value(const schema::Argument& argument);

/// How many values a call binds: one for each argument, and for a schema that ends in `...` the
/// positional ones beyond.
size_t bound_count(const schema::Schema& schema, size_t positional) noexcept;

/// See tenon_schema_bind. `out_values` has room for bound_count(); all are NONE when this throws.
void bind_arguments(const schema::Schema& schema, const GivenArguments& given,
                    tenon_value* out_values);

/// See tenon_op_call_named. Throws what the arguments were refused with; returns the call's status.
tenon_status call_named(const tenon_op& op, const GivenArguments& given,
                        std::span<tenon_value> rets);

}  // namespace tenon::dispatch
