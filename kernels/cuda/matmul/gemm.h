// SPDX-License-Identifier: Apache-2.0
// Matrix products on CUDA, by cuBLAS.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels::cuda {

// Computes and returns the product of a call's two matrices, or of its two batches if `batch` is 1.
// Throws for a dtype that cuBLAS does not support, and for sizes of 2^31 and more.
void give_product(const Call& call, int32_t batch);

}  // namespace tenon::kernels::cuda
