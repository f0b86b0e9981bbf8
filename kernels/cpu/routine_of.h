// SPDX-License-Identifier: Apache-2.0
// The CPU part of an operator that has a routine of its own there.
#pragma once

#include "kernels/cpu/operators.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cpu {

// Up to so many elements a matrix product is quick.
inline constexpr int64_t kQuickProduct = 4096;

}  // namespace tenon::kernels::cpu
