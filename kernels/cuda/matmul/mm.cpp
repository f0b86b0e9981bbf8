// SPDX-License-Identifier: Apache-2.0
// aten::mm on CUDA: the product of two matrices.
#include "kernels/ops/matmul/mm.h"

#include "kernels/cuda/matmul/gemm.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void mm(const Call& call) { give_product(call, 0); }

}  // namespace

Operator operator_kMm() { return routine_of<ops::kMm, &mm>(); }

}  // namespace tenon::kernels::cuda
