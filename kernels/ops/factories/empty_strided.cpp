// SPDX-License-Identifier: Apache-2.0
// The checks and strides of aten::empty_strided.
#include "kernels/ops/factories/empty_strided.h"

#include "kernels/common/allocation.h"
#include "kernels/common/checked_size.h"

namespace tenon::kernels {

Tensor empty_strided_on(const Device& device, Sizes size, Sizes stride,
                        const FactoryOptions& options) {
  constexpr const char* kOp = "aten::empty_strided";
  check_options(kOp, options.layout, options.pin_memory);
  if (size.size() != stride.size()) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {kOp, ": stride must have ", size.size(), " numbers like size, got ", stride.size()});
  }
  for (const int64_t length : size) {
    if (length < 0) fail_argument(kOp, "size", "have no negative size", size);
  }
  for (const int64_t step : stride) {
    if (step < 0) fail_argument(kOp, "stride", "have no negative stride", stride);
  }
  Dims strides(stride);
  for (int64_t d = 0; d < strides.size(); ++d) {
    strides[d] = kept_stride(size[static_cast<size_t>(d)], strides[d]);
  }
  return allocate(size, options.dtype.value_or(default_dtype()), device, strides.begin());
}

}  // namespace tenon::kernels
