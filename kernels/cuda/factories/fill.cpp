// SPDX-License-Identifier: Apache-2.0
// aten::fill_ on CUDA; full and ones are composites of it.
#include "kernels/ops/factories/fill.h"

#include "kernels/cuda/loops/operands.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void fill_(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), info);
  fill_on_device(call.op(), info, call.get<Scalar>(1));
}

}  // namespace

Operator operator_kFillInPlace() { return routine_of<ops::kFillInPlace, &fill_>(); }

}  // namespace tenon::kernels::cuda
