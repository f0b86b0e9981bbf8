// SPDX-License-Identifier: Apache-2.0
// Checks of aten::normal_.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

inline constexpr const char* kNormal = "aten::normal_";

// Throws unless the tensor is floating or complex and can be written, and std is not negative.
void check_normal(const tenon_tensor_info& self, double std);

}  // namespace tenon::kernels
