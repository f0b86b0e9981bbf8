// SPDX-License-Identifier: Apache-2.0
// Implements aten::msort by calling other operators.
#include "kernels/ops/sorting/msort.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void msort(const Call& call) { call.give(0, std::get<0>(call_sort(*call.get<Tensor>(0), 0))); }

}  // namespace tenon::kernels::ops
