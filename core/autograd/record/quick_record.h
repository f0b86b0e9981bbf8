// SPDX-License-Identifier: Apache-2.0
// The fast path of recording: calls of operators that take no lists, write nothing and return one
// tensor, as most do. The slow path is record.cpp.
#pragma once

#include "autograd/formula/formula.h"

namespace tenon::autograd {

/// Whether calls of a plan can take the fast path, as far as the schema tells.
bool is_quick(const Plan& plan) noexcept;

/// Runs a call, and records it where a gradient flows to an argument. The plan is quick.
tenon_status record_quickly(const Plan& plan, const tenon_op* op, tenon_keyset keys,
                            tenon_stack* stack);

}  // namespace tenon::autograd
