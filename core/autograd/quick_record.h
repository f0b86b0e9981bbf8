// SPDX-License-Identifier: Apache-2.0
// The quick way to record a call: of an operator that takes no lists, writes nothing and returns
// one tensor, as most do. Everything else goes the way of record.cpp.
#pragma once

#include "autograd/formula.h"

namespace tenon::autograd {

/// Whether calls of a plan can go the quick way, as far as the schema tells.
bool is_quick(const Plan& plan) noexcept;

/// Runs a call, and records it where a gradient flows to an argument. The plan is quick.
tenon_status record_quickly(const Plan& plan, const tenon_op* op, tenon_keyset keys,
                            tenon_stack* stack);

}  // namespace tenon::autograd
