// SPDX-License-Identifier: Apache-2.0
// aten::empty_strided on the CPU.
#include "kernels/ops/empty.h"

namespace tenon::kernels::cpu {
namespace {

Tensor empty_strided(Sizes size, Sizes stride, std::optional<Dtype> dtype,
                     std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  return empty_strided_on(Device(), size, stride, {dtype, layout, device, pin_memory});
}

}  // namespace

void register_empty_strided(Library& aten) {
  aten.impl("empty_strided", TENON_KEY_CPU, &empty_strided, quick("cpu::empty_strided"));
}

}  // namespace tenon::kernels::cpu
