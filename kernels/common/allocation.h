// SPDX-License-Identifier: Apache-2.0
// The tensors that kernels make for their results, and the caller's `out`: the only places where
// kernels of operators allocate them. Whether there is memory, and of which kind, is the library's
// to decide from the device and the thread.
#pragma once

#include "kernels/common/check.h"

namespace tenon::kernels {

// A result with elements still to be written; `strides` NULL is row-major.
inline Tensor allocate(Sizes sizes, Dtype dtype, const Device& device,
                       const int64_t* strides = nullptr) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new(static_cast<tenon_dtype>(dtype), &device,
                         static_cast<int64_t>(sizes.size()), sizes.data(), strides, &handle));
  return Tensor(handle);
}

// A row-major result with the sizes and on the device of `like`; `out_data` gets the address of its
// first element, NULL without memory.
inline Tensor allocate_like(const tenon_tensor* like, Dtype dtype, void** out_data) {
  tenon_tensor* handle = nullptr;
  check(tenon_tensor_new_like(like, static_cast<tenon_dtype>(dtype), &handle, out_data));
  return Tensor(handle);
}

// Gives the caller's `out`, a writable tensor, other sizes (`strides` NULL is row-major). Warns,
// once for `op`, a text that stays, when `out` has elements. Refuses memory that is not Tenon's
// own, whose owner knows it by the old sizes.
void resize_out(const char* op, tenon_tensor* out, Sizes sizes, const int64_t* strides = nullptr);
inline void resize_out(const char* op, const Tensor& out, Sizes sizes,
                       const int64_t* strides = nullptr) {
  resize_out(op, out.get(), sizes, strides);
}

}  // namespace tenon::kernels
