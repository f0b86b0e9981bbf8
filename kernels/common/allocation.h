// SPDX-License-Identifier: Apache-2.0
// Allocation of results, and resizing of the caller's `out`: the only place where kernels of
// operators allocate tensors. The library decides from the device and the thread whether a tensor
// gets memory, and of which kind.
#pragma once

#include "kernels/common/check.h"

namespace tenon::kernels {

// Allocates a result whose elements are uninitialized. NULL `strides` mean row-major.
inline Tensor allocate(Sizes sizes, Dtype dtype, const Device& device,
                       const int64_t* strides = nullptr) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new(static_cast<tenon_dtype>(dtype), &device,
                         static_cast<int64_t>(sizes.size()), sizes.data(), strides, &handle));
  return Tensor(handle);
}

// Allocates a row-major result with the sizes and device of `like`. Stores the address of its first
// element in `out_data`, or NULL if the result has no memory.
inline Tensor allocate_like(const tenon_tensor* like, Dtype dtype, void** out_data) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new_like(like, static_cast<tenon_dtype>(dtype), &handle, out_data));
  return Tensor(handle);
}

// Resizes the caller's `out`, a writable tensor; NULL `strides` mean row-major. Warns, once for
// each operator, if `out` has elements. Refuses imported memory, whose owner still uses the old
// sizes. `op` must be a string with static lifetime.
void resize_out(const char* op, tenon_tensor* out, Sizes sizes, const int64_t* strides = nullptr);
inline void resize_out(const char* op, const Tensor& out, Sizes sizes,
                       const int64_t* strides = nullptr) {
  resize_out(op, out.get(), sizes, strides);
}

}  // namespace tenon::kernels
