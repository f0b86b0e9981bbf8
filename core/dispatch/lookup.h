// SPDX-License-Identifier: Apache-2.0
// Finding operators by name, with errors that tell what is missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Finds a defined operator by full name. Throws TENON_ERROR_NOT_FOUND, telling an unknown
/// operator, an unknown overload and "has kernels but no schema" apart.
const tenon_op* find_operator(std::string_view full_name);

/// The defined operators called `base_name` ("ns::name"), in the order of their first mention; what
/// ships for the namespace is loaded where there is none. Throws std::bad_alloc.
std::vector<const tenon_op*> find_overloads(std::string_view base_name);

/// "; did you mean aten::relu?" for a name that no operator has, of those that are defined in its
/// namespace, or anywhere where that has none; "" where none is near. Needs the registry's lock.
std::string near_operators_locked(std::string_view full_name);

/// The operator whose kernel the calling thread runs, NULL outside of calls and in a fallback,
/// whose kernel is of no operator.
const tenon_op* running_operator() noexcept;

/// Schema of an operator now, empty when it has none.
schema::SchemaPtr schema_of(const tenon_op& op);

/// Returns the schema of an operator now. Throws TENON_ERROR_NOT_FOUND when it has none.
schema::SchemaPtr require_schema(const tenon_op& op);

/// Returns the schema of an operator for a layer that serves one of its calls. Another thread may
/// have removed or replaced the definition since the call began: throws what a new call with this
/// stack would be refused with, TENON_ERROR_NOT_FOUND for an operator that is no longer defined.
schema::SchemaPtr schema_of_call(const tenon_op& op, const tenon_stack& stack);

}  // namespace tenon::dispatch
