// SPDX-License-Identifier: Apache-2.0
// Shape rules: wrapping of dims, broadcasting, inferred sizes, and strides of views and dense
// results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "kernels/common/check.h"

namespace tenon::kernels {

inline constexpr int64_t kMaxDims = TENON_TENSOR_MAX_DIMS;

// Sizes or strides, stored inline: at most kMaxDims numbers, no allocation.
class Dims {
 public:
  Dims() {}  // leaves the numbers uninitialised
  Dims(Sizes numbers) : Dims(numbers.data(), static_cast<int64_t>(numbers.size())) {}
  Dims(const int64_t* numbers, int64_t count) {
    resize(count);
    copy(numbers, count);
  }
  Dims(std::initializer_list<int64_t> numbers)
      : Dims(numbers.begin(), static_cast<int64_t>(numbers.size())) {}
  static Dims filled(int64_t count, int64_t number) {
    Dims dims;
    dims.resize(count);
    std::fill_n(dims.numbers_, count, number);
    return dims;
  }
  Dims(const Dims& other) : Dims(other.numbers_, other.size_) {}
  Dims& operator=(const Dims& other) {
    size_ = other.size_;
    copy(other.numbers_, size_);
    return *this;
  }

  // New numbers are uninitialised.
  void resize(int64_t count) {
    if (count > kMaxDims) [[unlikely]] {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {"tensor: dims must be at most ", kMaxDims, ", got ", count});
    }
    size_ = count;
  }
  void push_back(int64_t number) {
    resize(size_ + 1);
    numbers_[size_ - 1] = number;
  }
  void insert(int64_t at, int64_t number) {
    resize(size_ + 1);
    for (int64_t i = size_ - 1; i > at; --i) numbers_[i] = numbers_[i - 1];
    numbers_[at] = number;
  }
  void erase(int64_t at) {
    --size_;
    for (int64_t i = at; i < size_; ++i) numbers_[i] = numbers_[i + 1];
  }

  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t& operator[](int64_t i) { return numbers_[i]; }
  int64_t operator[](int64_t i) const { return numbers_[i]; }
  int64_t* begin() { return numbers_; }
  int64_t* end() { return numbers_ + size_; }
  const int64_t* begin() const { return numbers_; }
  const int64_t* end() const { return numbers_ + size_; }
  operator Sizes() const { return {numbers_, static_cast<size_t>(size_)}; }
  friend bool operator==(const Dims& a, const Dims& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // A loop, because a call of memmove is slower for a few numbers.
  void copy(const int64_t* numbers, int64_t count) {
    for (int64_t i = 0; i < count; ++i) numbers_[i] = numbers[i];
  }

  int64_t size_ = 0;
  int64_t numbers_[kMaxDims];
};

inline Sizes sizes_of(const tenon_tensor_info& info) {
  return {info.sizes, static_cast<size_t>(info.ndim)};
}
inline Sizes strides_of(const tenon_tensor_info& info) {
  return {info.strides, static_cast<size_t>(info.ndim)};
}
inline bool is_contiguous(const tenon_tensor_info& info) {
  return (info.flags & TENON_TENSOR_CONTIGUOUS) != 0;
}
inline Dtype dtype_of_info(const tenon_tensor_info& info) { return static_cast<Dtype>(info.dtype); }

// Returns true if the strides equal row_major_strides(), including those of dims of size 1.
inline bool has_row_major_strides(const tenon_tensor_info& info) {
  int64_t next = 1;
  for (int32_t d = info.ndim - 1; d >= 0; --d) {
    if (info.strides[d] != next) return false;
    next *= std::max<int64_t>(info.sizes[d], 1);
  }
  return true;
}

// Returns the product of the sizes. Throws if it does not fit 63 bits.
int64_t numel_of(Sizes sizes);

// Returns the number of elements of memory that a tensor with these non-negative strides spans; 0
// if it is empty.
int64_t reach(Sizes sizes, Sizes strides);

// Wraps a dim from -ndim to ndim - 1 to 0 to ndim - 1. A 0-dim tensor accepts -1 and 0.
[[noreturn, gnu::cold]] void refuse_dim(const char* op, int64_t dim, int64_t bound);
inline int64_t wrap_dim(const char* op, int64_t dim, int64_t ndim) {
  const int64_t bound = ndim == 0 ? 1 : ndim;
  if (dim < -bound || dim >= bound) [[unlikely]] {
    refuse_dim(op, dim, bound);
  }
  return dim < 0 ? dim + bound : dim;
}

// Returns the size of a dim that wrap_dim() returned: 0-dim tensors count as vectors of size 1.
inline int64_t size_along(const tenon_tensor_info& info, int64_t dim) {
  return info.ndim == 0 ? 1 : info.sizes[dim];
}

// Sets `shape` to the shape that it and `other` broadcast to. Returns the first dim of the longer
// one at which they do not broadcast, or -1 if they do.
int64_t broadcast_into(Dims& shape, Sizes other);
// Returns the shape that two shapes broadcast to: sizes agree from the right, or one of them is 1.
Dims broadcast(const char* op, Sizes a, Sizes b);

// Returns row-major strides; a size of 0 counts as 1.
Dims row_major_strides(Sizes sizes);

// Returns strides of a dense tensor whose dims have the same order in memory as the given strides.
// This is what "preserve format" means.
Dims preserving_strides(Sizes sizes, Sizes strides);

// Returns true if the elements fill one block of memory without overlap, in any order of dims.
bool is_non_overlapping_and_dense(Sizes sizes, Sizes strides);

// Returns true if 4-dim strides are channels last; dims of size 1 are ignored.
bool is_channels_last(Sizes sizes, Sizes strides);

// Returns the strides of the channels-last formats, for 4 and 5 dims.
Dims channels_last_strides(const char* op, Sizes sizes, MemoryFormat format);

// Returns `sizes` with one -1 replaced so that they have `numel` elements.
Dims infer_sizes(const char* op, Sizes sizes, int64_t numel);

// Returns strides that view a tensor's memory as `new_sizes`, which have the same number of
// elements; nullopt if that requires a copy.
std::optional<Dims> view_strides(const tenon_tensor_info& info, Sizes new_sizes);

// Sets `perm` to the row-major order of dims, from the innermost to the outermost.
inline void row_major_order(int64_t ndim, int64_t* perm) {
  for (int64_t d = 0; d < ndim; ++d) perm[d] = ndim - 1 - d;
}

// Orders dims from the innermost (smallest strides) to the outermost. The strides of `ntensors`
// tensors are compared in turn; a stride of 0 (broadcast) does not decide. `perm` gets ndim dims.
void order_dims(Sizes sizes, const int64_t* const* strides, int ntensors, int64_t* perm);

}  // namespace tenon::kernels
