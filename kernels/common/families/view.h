// SPDX-License-Identifier: Apache-2.0
// View: the sizes, strides and offset of an operator whose result is an alias of its first
// argument. The operator's function changes them; no data is touched, on any device.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// The metadata of a view. It initially describes the tensor itself.
struct View {
  Dims sizes;
  Dims strides;
  int64_t offset;         // in elements, from the start of the storage
  Dtype dtype;            // strides and offset count elements of this dtype
  bool detached = false;  // shares memory but is not a view: no gradient flows to the base
  const tenon_tensor* base;
  const tenon_tensor_info& info;  // of `base`

  View(const tenon_tensor* base, const tenon_tensor_info& info)
      : sizes(sizes_of(info)),
        strides(strides_of(info)),
        offset(info.storage_offset),
        dtype(dtype_of_info(info)),
        base(base),
        info(info) {}

  View(const View&) = delete;
  View& operator=(const View&) = delete;

  int64_t ndim() const { return sizes.size(); }
  void remove(int64_t dim) {
    sizes.erase(dim);
    strides.erase(dim);
  }
  void swap(int64_t a, int64_t b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(strides[a], strides[b]);
  }
};

}  // namespace tenon::kernels
