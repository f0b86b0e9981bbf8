// SPDX-License-Identifier: Apache-2.0
// aten::_local_scalar_dense on CUDA: waits for the element and reads it on the CPU.
#include "kernels/ops/copy/local_scalar_dense.h"

#include "kernels/cuda/loops/operands.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void local_scalar_dense(const Call& call) {
  static constinit const LazyOp<Scalar(const Tensor&)> read("aten::_local_scalar_dense");
  const Tensor self = *call.get<Tensor>(0);
  check_defined(call.op(), "self", self.info());
  if (self.numel() != 1) fail_argument(call.op(), "self", "a tensor of one element", self.numel());
  const Dims strides = row_major_strides(self.sizes());
  call.results[0] = read(to_device(self, Device(), self.dtype(), strides)).value();
}

}  // namespace

Operator operator_kLocalScalarDense() {
  return routine_of<ops::kLocalScalarDense, &local_scalar_dense>();
}

}  // namespace tenon::kernels::cuda
