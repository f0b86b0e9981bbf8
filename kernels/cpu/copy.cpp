// SPDX-License-Identifier: Apache-2.0
// aten::copy_ on the CPU.
#include "kernels/ops/copy.h"

#include "kernels/cpu/cast.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void copy_(const Call& call) {
  if (call.tensor(0) == call.tensor(1)) return;
  const tenon_tensor_info target = call.get<Tensor>(0)->info();
  const tenon_tensor_info source = call.get<Tensor>(1)->info();
  check_copy(target, source);
  cast(target, source);
}

}  // namespace

Operator operator_kCopyInPlace() { return routine_of<ops::kCopyInPlace, &copy_>(); }

}  // namespace tenon::kernels::cpu
