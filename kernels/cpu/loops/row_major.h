// SPDX-License-Identifier: Apache-2.0
// Tensors as contiguous rows of one dtype, for loops without strides: the tensor's own memory if it
// has this layout, otherwise a copy.
#pragma once

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/cpu/loops/cast.h"

namespace tenon::kernels::cpu {

// Returns the computing dtype: float for small floats.
inline Dtype wide_of(Dtype dtype) { return is_half_precision(dtype) ? Dtype::F32 : dtype; }

// A row-major input.
class RowMajor {
 public:
  RowMajor(const tenon_tensor_info& info, Dtype dtype) : data_(info.data) {
    if (dtype_of_info(info) == dtype && is_contiguous(info)) return;
    copy_ = Tensor::empty(sizes_of(info), dtype);
    cast(copy_.info(), info);
    data_ = copy_.raw_data();
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(data_);
  }

 private:
  Tensor copy_;
  void* data_;
};

// A row-major output. finish() copies it to the result if it is separate memory.
class RowMajorResult {
 public:
  RowMajorResult(const tenon_tensor_info& result, Dtype dtype) : result_(result) {
    if (dtype_of_info(result) == dtype && is_contiguous(result)) return;
    own_ = Tensor::empty(sizes_of(result), dtype);
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(own_ ? own_.raw_data() : result_.data);
  }
  void finish() const {
    if (own_) cast(result_, own_.info());
  }

 private:
  tenon_tensor_info result_;
  Tensor own_;
};

// A buffer for intermediate results.
template <class T>
class Buffer {
 public:
  explicit Buffer(int64_t count)
      : memory_(Tensor::empty(std::vector<int64_t>{count}, element_dtype<T>)) {}
  T* data() const { return static_cast<T*>(memory_.raw_data()); }

 private:
  Tensor memory_;
};

}  // namespace tenon::kernels::cpu
