// SPDX-License-Identifier: Apache-2.0
// The plan of tenon::skeleton_op. Needed only because the CPU part and the Meta kernel share it.
#pragma once

#include "kernels/common/elementwise.h"

namespace tenon::kernels {

void plan_skeleton_op(Elementwise& plan, const Tensor& self);

}  // namespace tenon::kernels
