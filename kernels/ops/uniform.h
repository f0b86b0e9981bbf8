// SPDX-License-Identifier: Apache-2.0
// Checks of aten::uniform_.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

inline constexpr const char* kUniform = "aten::uniform_";

// Throws unless the tensor is floating or complex and can be written, and [from, to) is a range of
// its dtype whose length is finite.
void check_uniform(const tenon_tensor_info& self, double from, double to);

}  // namespace tenon::kernels
