// SPDX-License-Identifier: Apache-2.0
// aten::empty_strided: a tensor with elements of any value and the given strides.
#include "kernels/common/allocation.h"
#include "kernels/ops/empty.h"

namespace tenon::kernels {
namespace {

Tensor empty_strided_meta(Sizes size, Sizes stride, std::optional<Dtype> dtype,
                          std::optional<Layout> layout, std::optional<Device> device,
                          std::optional<bool> pin_memory) {
  return empty_strided_on(Device(TENON_DEVICE_META, 0), size, stride,
                          {dtype, layout, device, pin_memory});
}

}  // namespace

Tensor empty_strided_on(const Device& device, Sizes size, Sizes stride,
                        const FactoryOptions& options) {
  constexpr const char* kOp = "aten::empty_strided";
  check_options(kOp, options.layout, options.pin_memory);
  if (size.size() != stride.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {kOp, ": stride must have ", size.size(), " numbers like size, got ", stride.size()});
  }
  for (const int64_t length : size) {
    if (length < 0) fail_argument(kOp, "size", "of sizes of 0 or more", size);
  }
  for (const int64_t step : stride) {
    if (step < 0) fail_argument(kOp, "stride", "of strides of 0 or more", stride);
  }
  return allocate(size, options.dtype.value_or(default_dtype()), device, stride.data());
}

void register_empty_strided(Library& aten) {
  aten.def(
      "empty_strided(SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, "
      "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      {"core"});
  aten.impl("empty_strided", TENON_KEY_META, &empty_strided_meta, quick("empty_strided_meta"));
}

}  // namespace tenon::kernels
