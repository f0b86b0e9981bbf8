// SPDX-License-Identifier: Apache-2.0
// aten::zero_ on CUDA; zeros is a composite of it.
#include "kernels/ops/factories/zero.h"

#include "kernels/cuda/loops/operands.h"
#include "kernels/ops/factories/fill.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void zero_(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), info);
  fill_on_device(call.op(), info, Scalar(0));
}

}  // namespace

Operator operator_kZeroInPlace() { return routine_of<ops::kZeroInPlace, &zero_>(); }

}  // namespace tenon::kernels::cuda
