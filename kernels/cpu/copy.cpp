// SPDX-License-Identifier: Apache-2.0
// aten::copy_ on the CPU.
#include "kernels/ops/copy.h"

#include "kernels/common/registrar.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/run.h"

namespace tenon::kernels::cpu {
namespace {

Tensor& copy_(Tensor& self, const Tensor& src, bool) {
  if (self.get() == src.get()) return self;
  const tenon_tensor_info target = self.info();
  const tenon_tensor_info source = src.info();
  check_copy(target, source);
  cast(target, source);
  return self;
}

}  // namespace

void register_copy(Library& aten) {
  aten.impl("copy_", TENON_KEY_CPU, &copy_, quick("cpu::copy_", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
