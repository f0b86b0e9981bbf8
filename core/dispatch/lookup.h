// SPDX-License-Identifier: Apache-2.0
// Finding operators by name, with errors that tell what is missing.
#pragma once

#include <string_view>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Finds a defined operator by full name. Throws TENON_ERROR_NOT_FOUND, telling an unknown
/// operator, an unknown overload and "has kernels but no schema" apart.
const tenon_op* find_operator(std::string_view full_name);

/// Schema of an operator now, empty when it has none.
schema::SchemaPtr schema_of(const tenon_op& op);

}  // namespace tenon::dispatch
