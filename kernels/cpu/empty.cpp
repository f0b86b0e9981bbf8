// SPDX-License-Identifier: Apache-2.0
// aten::empty on the CPU.
#include "kernels/ops/empty.h"

namespace tenon::kernels::cpu {
namespace {

Tensor empty(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory,
             std::optional<MemoryFormat> memory_format) {
  return empty_on(Device(), size, {dtype, layout, device, pin_memory}, memory_format);
}

}  // namespace

void register_empty(Library& aten) {
  aten.impl("empty.memory_format", TENON_KEY_CPU, &empty, quick("cpu::empty"));
}

}  // namespace tenon::kernels::cpu
