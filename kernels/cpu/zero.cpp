// SPDX-License-Identifier: Apache-2.0
// aten::zero_ on the CPU.
#include "kernels/common/registrar.h"
#include "kernels/cpu/fill.h"
#include "kernels/cpu/run.h"
#include "kernels/ops/fill.h"

namespace tenon::kernels::cpu {
namespace {

Tensor& zero_(Tensor& self) {
  const tenon_tensor_info info = self.info();
  check_fill_target("aten::zero_", info);
  fill("aten::zero_", info, Scalar(0));
  return self;
}

}  // namespace

void register_zero(Library& aten) {
  aten.impl("zero_", TENON_KEY_CPU, &zero_, quick("cpu::zero_", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
