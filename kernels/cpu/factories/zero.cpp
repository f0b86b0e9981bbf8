// SPDX-License-Identifier: Apache-2.0
// aten::zero_ on the CPU.
#include "kernels/ops/factories/zero.h"

#include "kernels/cpu/factories/fill.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void zero_(const Call& call) {
  const tenon_tensor_info info = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), info);
  fill(call.op(), info, Scalar(0));
}

}  // namespace

Operator operator_kZeroInPlace() { return routine_of<ops::kZeroInPlace, &zero_>(); }

}  // namespace tenon::kernels::cpu
