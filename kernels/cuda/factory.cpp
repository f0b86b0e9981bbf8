// SPDX-License-Identifier: Apache-2.0
// aten::empty, empty_strided and fill_ on CUDA; full, zeros and ones are composites of them.
#include "kernels/cuda/operands.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/registrations.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/empty.h"
#include "kernels/ops/empty_strided.h"
#include "kernels/ops/fill.h"

namespace tenon::kernels::cuda {
namespace {

Device device_of(const std::optional<Device>& device) {
  return settled(device.value_or(Device(TENON_DEVICE_CUDA, -1)));
}

Tensor empty(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory,
             std::optional<MemoryFormat> memory_format) {
  return empty_on(device_of(device), size, {dtype, layout, device, pin_memory}, memory_format);
}

Tensor empty_strided(Sizes size, Sizes stride, std::optional<Dtype> dtype,
                     std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin_memory) {
  return empty_strided_on(device_of(device), size, stride, {dtype, layout, device, pin_memory});
}

Tensor& fill_(Tensor& self, const Scalar& value) {
  const tenon_tensor_info info = self.info();
  check_fill("aten::fill_.Scalar", info, value);
  const DeviceGuard guard(info.device.index);
  launch_fill(info.dtype, strided(sizes_of(info), {{info.data, self.dtype(), strides_of(info)}}),
              number_of(value), current_stream(info.device));
  return self;
}

}  // namespace

void register_factories(Library& aten) {
  aten.impl("empty.memory_format", TENON_KEY_CUDA, &empty, {.name = "cuda::empty"});
  aten.impl("empty_strided", TENON_KEY_CUDA, &empty_strided, {.name = "cuda::empty_strided"});
  aten.impl("fill_.Scalar", TENON_KEY_CUDA, &fill_, {.name = "cuda::fill_"});
}

}  // namespace tenon::kernels::cuda
