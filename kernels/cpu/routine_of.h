// SPDX-License-Identifier: Apache-2.0
// Makes the CPU kernel of an operator that has its own routine.
#pragma once

#include "kernels/cpu/operators.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cpu {

// Largest number of elements for which a matrix product is declared not to block.
inline constexpr int64_t kQuickProduct = 4096;

}  // namespace tenon::kernels::cpu
