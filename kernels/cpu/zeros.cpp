// SPDX-License-Identifier: Apache-2.0
// aten::zeros on the CPU, in one step: the composite calls two operators and cannot say that it is
// quick, since others may replace those.
#include <cstring>

#include "kernels/cpu/run.h"
#include "kernels/ops/empty.h"

namespace tenon::kernels::cpu {
namespace {

Tensor zeros(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = empty_on(Device(), size, {dtype, layout, device, pin_memory}, std::nullopt);
  const tenon_tensor_info info = result.info();
  // Zero is all bits zero, whatever the dtype.
  const auto bytes = static_cast<size_t>(info.numel) * size_of(dtype_of_info(info));
  if (bytes != 0) std::memset(info.data, 0, bytes);
  return result;
}

}  // namespace

void register_zeros(Library& aten) {
  aten.impl("zeros", TENON_KEY_CPU, &zeros, quick("cpu::zeros", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
