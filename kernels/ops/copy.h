// SPDX-License-Identifier: Apache-2.0
// Checks of aten::copy_.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

// Throws unless `src` broadcasts to the sizes of `self`, and `self` can be written from it.
void check_copy(const tenon_tensor_info& self, const tenon_tensor_info& src);

}  // namespace tenon::kernels
