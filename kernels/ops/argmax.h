// SPDX-License-Identifier: Apache-2.0
// The plan of aten::argmax.
#pragma once

#include "kernels/common/reduction.h"

namespace tenon::kernels {

void plan_argmax(Reduction& plan, const Tensor& self, std::optional<int64_t> dim, bool keepdim);

}  // namespace tenon::kernels
