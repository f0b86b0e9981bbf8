// SPDX-License-Identifier: Apache-2.0
// The fast path of recording, for operators that take no lists, write nothing and return one
// tensor, as most do. The slow path is record.cpp.
#pragma once

#include "autograd/formula/formula.h"

namespace tenon::autograd {

/// Returns true if the schema and formula of a plan allow the fast path.
bool is_quick(const Plan& plan) noexcept;

/// Runs a call, and records it if a gradient flows to an argument. Requires is_quick(plan).
tenon_status record_quickly(const Plan& plan, const tenon_op* op, tenon_keyset keys,
                            tenon_stack* stack);

}  // namespace tenon::autograd
