// SPDX-License-Identifier: Apache-2.0
// Sums on the CPU, for aten::sum and aten::mean.
#pragma once

#include "kernels/common/reduction.h"

namespace tenon::kernels::cpu {

// Adds up the elements of a finished plan in the dtype of its result, and divides each sum by
// `divisor` (1 for sums) before it is rounded to that dtype.
void sum_into_result(Reduction& plan, const Tensor& self, double divisor);

}  // namespace tenon::kernels::cpu
