// SPDX-License-Identifier: Apache-2.0
// Checks of one call of an operator. Each returns a report of the first problem, or "" if there is
// none, and throws the errors of the operator, its fake kernel or its formula.
#pragma once

#include <span>
#include <string>

#include "dispatch/operator_entry.h"
#include "tenon/value.h"

namespace tenon::opcheck {

/// All arguments of a call, in schema order.
using Arguments = std::span<const tenon_value>;

/// Tolerances of elements; negative: the dtype's default.
struct Closeness {
  double relative = -1;
  double absolute = -1;
};

/// See TENON_OPCHECK_*.
std::string check_schema(const tenon_op& op, Arguments args);
std::string check_autograd_registration(const tenon_op& op, Arguments args);
std::string check_fake(const tenon_op& op, Arguments args);
std::string check_trace(const tenon_op& op, Arguments args, const Closeness& closeness);

}  // namespace tenon::opcheck
