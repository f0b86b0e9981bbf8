// SPDX-License-Identifier: Apache-2.0
// Shared by aten::sort and aten::topk on the CPU: sorting of lines.
#pragma once

#include "kernels/common/ordered.h"

namespace tenon::kernels::cpu {

// Writes values and indices, and returns them. NaN counts as the largest; equal elements keep their
// order if it is stable.
void run_ordered(const Call& call, Ordered ordered);

}  // namespace tenon::kernels::cpu
