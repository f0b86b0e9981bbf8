// SPDX-License-Identifier: Apache-2.0
// The plan of aten::where.
#pragma once

#include "kernels/common/elementwise.h"

namespace tenon::kernels {

void plan_where(Elementwise& plan, const Tensor& condition, const Tensor& self,
                const Tensor& other);

}  // namespace tenon::kernels
