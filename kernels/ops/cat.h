// SPDX-License-Identifier: Apache-2.0
// The shape rule of aten::cat.
#pragma once

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Whether a tensor is left out: 1-dim and empty, which goes with tensors of any dims.
bool cat_skips(const tenon_tensor_info& info);

// Checks the tensors and allocates the result; `dim` is wrapped.
Tensor cat_result(TensorList tensors, int64_t& dim);

}  // namespace tenon::kernels
