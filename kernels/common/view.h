// SPDX-License-Identifier: Apache-2.0
// Sizes, strides and offset of a view under construction.
#pragma once

#include "kernels/common/shape.h"

namespace tenon::kernels {

inline void check_defined(const char* op, const tenon_tensor_info& info) {
  if ((info.flags & TENON_TENSOR_UNDEFINED) != 0) [[unlikely]] {
    fail_argument(op, "self", "a defined tensor", "the undefined tensor");
  }
}

// Starts as the tensor itself; view kernels change it, then make the alias.
struct View {
  Dims sizes;
  Dims strides;
  int64_t offset;  // in elements, from the start of the storage

  View(const char* op, const tenon_tensor_info& info)
      : sizes(sizes_of(info)), strides(strides_of(info)), offset(info.storage_offset) {
    check_defined(op, info);
  }

  int64_t ndim() const { return sizes.size(); }
  Tensor of(const Tensor& base) const { return base.alias(sizes, strides, offset); }
};

}  // namespace tenon::kernels
