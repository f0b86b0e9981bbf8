// SPDX-License-Identifier: Apache-2.0
// Steps through the places along one dim of a CPU tensor that an index tensor says.
#pragma once

#include "kernels/common/places.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// An element that is moved and not computed with.
struct Bytes16 {
  uint64_t words[2];
};

// Calls `body` with a type that is as large as elements of the dtype.
template <class Body>
void visit_size(Dtype dtype, Body&& body) {
  switch (size_of(dtype)) {
    case 1:
      return body(uint8_t());
    case 2:
      return body(uint16_t());
    case 4:
      return body(uint32_t());
    case 8:
      return body(uint64_t());
    default:
      return body(Bytes16());
  }
}

class Places {
 public:
  // One place for each element of `index`, in self and in `other`, of the same dtype and with these
  // strides. Throws TENON_ERROR_INDEX for an index out of bounds.
  Places(const char* op, const tenon_tensor_info& self, int64_t dim, const tenon_tensor_info& index,
         void* other, const int64_t* strides)
      : is_wide_(dtype_of_info(index) == Dtype::I64) {
    const int64_t size = size_of(dtype_of_info(self));
    if (index.numel == 0) {
      walk_.flat(0, 3);
      return;
    }
    stride_ = self.ndim == 0 ? 0 : self.strides[dim] * size;
    int64_t perm[kMaxDims], of_self[kMaxDims] = {};
    row_major_order(index.ndim, perm);
    for (int32_t d = 0; d < index.ndim; ++d) {
      of_self[d] = d == dim || d >= self.ndim ? 0 : self.strides[d];
    }
    walk_.begin(sizes_of(index), perm, 3);
    walk_.set(0, self.data, size, of_self);
    walk_.set(1, index.data, is_wide_ ? 8 : 4, index.strides);
    walk_.set(2, other, size, strides);
    walk_.coalesce();
    const int64_t count = size_along(self, dim);
    each_index([&](char* const*, int64_t at) {
      if (at < 0 || at >= count) [[unlikely]] {
        fail(TENON_ERROR_INDEX, {op, ": index must be in [0, ", count - 1, "] for dim ", dim,
                                 " of size ", count, ", got ", at});
      }
    });
  }

  // Calls `each(element of self, element of other)`, both as T&.
  template <class T, class Each>
  void each(Each&& each) const {
    each_index([&](char* const* data, int64_t at) {
      each(*reinterpret_cast<T*>(data[0] + at * stride_), *reinterpret_cast<T*>(data[2]));
    });
  }

 private:
  template <class Each>
  void each_index(Each&& each) const {
    walk_.rows(walk_.raw_data(), [&](char* const* row) {
      char* data[] = {row[0], row[1], row[2]};
      for (int64_t i = 0; i < walk_.size(0); ++i) {
        each(data, is_wide_ ? *reinterpret_cast<const int64_t*>(data[1])
                            : int64_t{*reinterpret_cast<const int32_t*>(data[1])});
        for (int k = 0; k < 3; ++k) data[k] += walk_.stride(k, 0);
      }
    });
  }

  Walk walk_;
  bool is_wide_;
  int64_t stride_ = 0;  // of self along the dim, in bytes
};

}  // namespace tenon::kernels::cpu
