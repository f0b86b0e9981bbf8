// SPDX-License-Identifier: Apache-2.0
// The operators of kernels/ops/ops.list with their CUDA kernels. CMake generates the source file.
#pragma once

#include <vector>

#include "kernels/ops/operators.h"

namespace tenon::kernels::cuda {

std::vector<Operator> operators();

}  // namespace tenon::kernels::cuda
