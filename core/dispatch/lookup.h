// SPDX-License-Identifier: Apache-2.0
// Finding operators by name, with errors that say what is missing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Finds a defined operator by full name. Throws TENON_ERROR_NOT_FOUND, with a message that
/// distinguishes an unknown operator, an unknown overload, and kernels without a schema.
const tenon_op* find_operator(std::string_view full_name);

/// Returns the defined operators called `base_name` ("ns::name"), in the order of their first
/// mention. If there are none, first loads what ships for the namespace. Throws std::bad_alloc.
std::vector<const tenon_op*> find_overloads(std::string_view base_name);

/// Returns a suggestion such as "; did you mean aten::relu?" for an unknown name, from the
/// operators defined in its namespace, or from all if that has none; "" if no name is similar.
/// Needs the registry's lock.
std::string near_operators_locked(std::string_view full_name);

/// Returns the operator whose kernel the calling thread runs; NULL outside of calls and in a
/// fallback, whose kernel belongs to no operator.
const tenon_op* running_operator() noexcept;

/// Returns the current schema of an operator, empty if it has none.
schema::SchemaPtr schema_of(const tenon_op& op);

/// Returns the current schema of an operator. Throws TENON_ERROR_NOT_FOUND if it has none.
schema::SchemaPtr require_schema(const tenon_op& op);

/// Returns the schema of an operator for a layer that serves one of its calls. Another thread may
/// have removed or replaced the definition since the call began. Then this throws the error that a
/// new call with this stack would raise, TENON_ERROR_NOT_FOUND for an operator that is no longer
/// defined.
schema::SchemaPtr schema_of_call(const tenon_op& op, const tenon_stack& stack);

}  // namespace tenon::dispatch
