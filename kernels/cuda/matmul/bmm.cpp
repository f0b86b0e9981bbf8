// SPDX-License-Identifier: Apache-2.0
// aten::bmm on CUDA: the products of two batches of matrices.
#include "kernels/ops/matmul/bmm.h"

#include "kernels/cuda/matmul/gemm.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void bmm(const Call& call) { give_product(call, 1); }

}  // namespace

Operator operator_kBmm() { return routine_of<ops::kBmm, &bmm>(); }

}  // namespace tenon::kernels::cuda
