// SPDX-License-Identifier: Apache-2.0
// What aten::sort and aten::topk share on the CPU: lines put in order.
#pragma once

#include "kernels/common/ordered.h"

namespace tenon::kernels::cpu {

// Writes values and indices, and hands them over. NaN counts as the largest; equals keep their
// order.
void run_ordered(const Call& call, Ordered ordered);

}  // namespace tenon::kernels::cpu
