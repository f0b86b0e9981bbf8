// SPDX-License-Identifier: Apache-2.0
// Shape rules of aten::mm and aten::bmm.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Both check dims, sizes, devices and dtypes and allocate the row-major result.
Tensor mm_result(const Tensor& self, const Tensor& mat2);
Tensor bmm_result(const Tensor& self, const Tensor& mat2);

}  // namespace tenon::kernels
