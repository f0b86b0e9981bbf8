// SPDX-License-Identifier: Apache-2.0
// The checks and strides of aten::empty.
#include "kernels/ops/factories/empty.h"

#include "kernels/common/allocation.h"

namespace tenon::kernels {

Tensor empty_on(const Device& device, Sizes size, const FactoryOptions& options,
                std::optional<MemoryFormat> memory_format) {
  constexpr const char* kOp = "aten::empty.memory_format";
  check_options(kOp, options.layout, options.pin_memory);
  for (const int64_t length : size) {
    if (length < 0) fail_argument(kOp, "size", "have no negative size", size);
  }
  const Dtype dtype = options.dtype.value_or(default_dtype());
  switch (memory_format.value_or(MemoryFormat::Contiguous)) {
    case MemoryFormat::Contiguous:
      return allocate(size, dtype, device);
    case MemoryFormat::ChannelsLast:
    case MemoryFormat::ChannelsLast3d:
      return allocate(size, dtype, device,
                      channels_last_strides(kOp, size, *memory_format).begin());
    default:
      fail_argument(kOp, "memory_format", "contiguous or channels last",
                    static_cast<int64_t>(*memory_format));
  }
}

}  // namespace tenon::kernels
