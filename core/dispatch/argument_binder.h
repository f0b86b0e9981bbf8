// SPDX-License-Identifier: Apache-2.0
// Binding of a call's arguments, given by position and by name, to the arguments of a schema.
#pragma once

#include <span>

#include "base/small_vector.h"
#include "dispatch/operator_entry.h"
#include "schema/schema.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// The arguments that a call passes. `names[i]` is the name of `named[i]`.
struct CallArguments {
  std::span<const tenon_value> positional;
  std::span<const char* const> names;
  std::span<const tenon_value> named;
};

/// Returns an argument's default, NULL if it has none. Throws TENON_ERROR_NOT_FOUND for a default
/// device of a backend that is not registered.
const tenon_value* default_value(const schema::Argument& argument);

/// Returns the number of values that a call binds: one per argument, and for a schema that ends in
/// `...` the additional positional ones.
size_t bound_count(const schema::Schema& schema, size_t positional) noexcept;

/// Binds arguments; see tenon_schema_bind. `out_values` has room for bound_count() values, which
/// are all NONE if this throws.
void bind_arguments(const schema::Schema& schema, const CallArguments& given,
                    tenon_value* out_values);

/// Binds and calls; see tenon_op_call_named. Throws if the arguments are refused; returns the
/// call's status.
tenon_status call_named(const tenon_op& op, const CallArguments& given,
                        std::span<tenon_value> rets);

}  // namespace tenon::dispatch
