// SPDX-License-Identifier: Apache-2.0
// Iteration over the positions along one dim of a CPU tensor that an index tensor selects.
#pragma once

#include "kernels/common/checked_size.h"
#include "kernels/common/places.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {

// An element of 16 bytes that is moved without computing with it.
struct Bytes16 {
  uint64_t words[2];
};

// Calls `body` with a value of a type that has the size of the dtype's elements.
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

// Return true if all of `count` indices are in [0, size).
bool are_places(const int64_t* index, int64_t count, int64_t size);
bool are_places(const int32_t* index, int64_t count, int64_t size);

// Move an element from self or to it. Contiguous rows have a specialized loop only for these
// functors, since specializing it for computations as well would add a megabyte of code.
struct MoveOut {
  template <class T>
  void operator()(const T& self, T& other) const {
    other = self;
  }
};
struct MoveIn {
  template <class T>
  void operator()(T& self, const T& other) const {
    self = other;
  }
};
template <class Each>
inline constexpr bool is_move = std::is_same_v<Each, MoveOut> || std::is_same_v<Each, MoveIn>;

// When indices are checked: all before any element is moved, or each block just before its
// elements. The latter reads the indices once, but may have moved elements before it finds an
// invalid index.
enum class PlaceCheck { First, InPassing };
// Elements of a new result that were written before an error are never visible.
inline PlaceCheck check_of(const OperatorForm& form) {
  return form.is_functional() ? PlaceCheck::InPassing : PlaceCheck::First;
}

class Places {
 public:
  // Visits one position for each element of `index`, in self and in `other`, which has the same
  // dtype and these strides. Throws TENON_ERROR_INDEX for an index out of bounds, at the latest
  // when it is used.
  Places(const char* op, const tenon_tensor_info& self, int64_t dim, const tenon_tensor_info& index,
         void* other, const int64_t* strides, PlaceCheck check = PlaceCheck::First)
      : op_(op),
        dim_(dim),
        count_(size_along(self, dim)),
        is_wide_(dtype_of_info(index) == Dtype::I64) {
    const int64_t size = size_of(dtype_of_info(self));
    if (index.numel == 0) {
      walk_.flat(0, 3);
      return;
    }
    stride_ = self.ndim == 0 ? 0 : wrapped_product(self.strides[dim], size);
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
    is_unchecked_ = check == PlaceCheck::InPassing && is_dense(walk_, size);
    if (is_unchecked_) return;
    parallel_walk(walk_, walk_.raw_data(), 1,
                  [&](const Walk& part, char* const* base) { check_all(part, base); });
  }

  // Calls `each(element of self, element of other)`, both as T&, from several threads at once.
  template <class T, class Each>
  void each(Each&& each) const {
    parallel_walk(walk_, walk_.raw_data(), 1,
                  [&](const Walk& part, char* const* base) { run<T>(part, base, each); });
  }

  // Like each(), but visits each element of self from a single thread, in the order of the index.
  template <class T, class Each>
  void each_of_its_own(Each&& each) const {
    // Different indices along other dims of self select different elements. A dim that only the
    // index has may select the same element again, so it is not split.
    int dim = walk_.ndim() - 1;
    while (dim > 0 && walk_.stride(0, dim) == 0) --dim;
    const int64_t size = walk_.size(dim);
    if (walk_.numel() <= kGrain || walk_.stride(0, dim) == 0) {
      return run<T>(walk_, walk_.raw_data(), each);
    }
    const int64_t step = std::max<int64_t>(kGrain / (walk_.numel() / size), 1);
    parallel_for(size, step, [&](int64_t begin, int64_t end) {
      char* first[kMaxOperands];
      const Walk part = walk_.range(dim, begin, end, walk_.raw_data(), first);
      run<T>(part, first, each);
    });
  }

 private:
  static constexpr int64_t kBlock = 1024;  // number of indices

  [[noreturn]] void refuse(int64_t at) const {
    fail(TENON_ERROR_INDEX, {op_, ": index must be in [0, ", count_ - 1, "] for dim ", dim_,
                             " of size ", count_, ", got ", at});
  }
  [[gnu::noinline]] void check_all(const Walk& part, char* const* base) const {
    if (has_dense_places(part, base)) return;
    each_index(part, base, [&](char*, char*, int64_t at) {
      if (at < 0 || at >= count_) [[unlikely]]
        refuse(at);
    });
  }
  template <class Index>
  void check(const Index* index, int64_t count) const {
    if (are_places(index, count, count_)) return;
    for (; *index >= 0 && *index < count_; ++index) {
    }
    refuse(*index);
  }

  // Returns true if rows of indices and of `other`, with elements of `size` bytes, are contiguous,
  // and if rows of self are contiguous or run along the indexed dim, whose elements are contiguous.
  bool is_dense(const Walk& part, int64_t size) const {
    const int64_t step = part.stride(0, 0);
    return part.stride(1, 0) == (is_wide_ ? 8 : 4) && part.stride(2, 0) == size &&
           (step == size || (step == 0 && stride_ == size));
  }

  // Returns true if the indices are contiguous and all in bounds.
  bool has_dense_places(const Walk& part, char* const* base) const {
    if (part.stride(1, 0) != (is_wide_ ? 8 : 4)) return false;
    bool all = true;
    part.rows<3>(base, [&](char* const* row) {
      all = all &&
            (is_wide_ ? are_places(reinterpret_cast<const int64_t*>(row[1]), part.size(0), count_)
                      : are_places(reinterpret_cast<const int32_t*>(row[1]), part.size(0), count_));
    });
    return all;
  }

  // Not inlined, so that it is compiled once for each element type and not for each caller.
  template <class T, class Each>
  [[gnu::noinline]] void run(const Walk& part, char* const* base, Each&& each) const {
    if (is_wide_) {
      run_as<T, int64_t>(part, base, each);
    } else {
      run_as<T, int32_t>(part, base, each);
    }
  }
  template <class T, class Index, class Each>
  void run_as(const Walk& part, char* const* base, Each&& each) const {
    if constexpr (is_move<std::remove_cvref_t<Each>>) {
      if (is_dense(part, sizeof(T))) {
        if (part.stride(0, 0) == 0) return run_dense<T, Index, 0>(part, base, each);
        return run_dense<T, Index, sizeof(T)>(part, base, each);
      }
    }
    if (is_unchecked_) check_all(part, base);
    const int64_t stride = stride_;
    each_index_as<Index>(part, base, [&each, stride](char* self, char* other, int64_t at) {
      each(*reinterpret_cast<T*>(self + at * stride), *reinterpret_cast<T*>(other));
    });
  }
  // Elements of self advance by kStep bytes. If kStep is 0, positions are sizeof(T) apart.
  template <class T, class Index, int64_t kStep, class Each>
  void run_dense(const Walk& part, char* const* base, Each&& each) const {
    part.rows<3>(base, [&](char* const* row) {
      char* self = row[0];
      const auto* index = reinterpret_cast<const Index*>(row[1]);
      auto* other = reinterpret_cast<T*>(row[2]);
      const int64_t stride = kStep == 0 ? int64_t{sizeof(T)} : stride_;
      for (int64_t left = part.size(0); left > 0; left -= kBlock) {
        const int64_t block = std::min(left, kBlock);
        if (is_unchecked_) check(index, block);
        for (int64_t i = 0; i < block; ++i) {
          each(*reinterpret_cast<T*>(self + i * kStep + index[i] * stride), other[i]);
        }
        self += block * kStep;
        index += block;
        other += block;
      }
    });
  }

  template <class Each>
  void each_index(const Walk& part, char* const* base, Each&& each) const {
    if (is_wide_) {
      each_index_as<int64_t>(part, base, each);
    } else {
      each_index_as<int32_t>(part, base, each);
    }
  }
  template <class Index, class Each>
  static void each_index_as(const Walk& part, char* const* base, Each&& each) {
    const int64_t count = part.size(0);
    const int64_t self_step = part.stride(0, 0);
    const int64_t index_step = part.stride(1, 0);
    const int64_t other_step = part.stride(2, 0);
    part.rows<3>(base, [&](char* const* row) {
      char* self = row[0];
      const char* index = row[1];
      char* other = row[2];
      for (int64_t i = 0; i < count; ++i) {
        each(self, other, int64_t{*reinterpret_cast<const Index*>(index)});
        self += self_step;
        index += index_step;
        other += other_step;
      }
    });
  }

  const char* op_;
  int64_t dim_;
  int64_t count_;  // size of the indexed dim
  Walk walk_;
  bool is_wide_;
  bool is_unchecked_ = false;
  int64_t stride_ = 0;  // of self along the indexed dim, in bytes
};

}  // namespace tenon::kernels::cpu
