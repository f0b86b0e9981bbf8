// SPDX-License-Identifier: Apache-2.0
// Shape rules for both integer and symbolic sizes. `D` is Dims or SymbolicDims, and `S` the span
// that it converts to.
#pragma once

#include <numeric>

#include "kernels/common/checked_size.h"
#include "kernels/common/symbolic/symbolic_size.h"

namespace tenon::kernels::rules {

inline constexpr int64_t kMost = TENON_TENSOR_MAX_DIMS;

template <class S>
using Number = std::remove_cv_t<typename S::element_type>;

// Strides may wrap if the sizes are too large to be allocated. Such a tensor is refused anyway,
// because of its number of elements.
inline int64_t times(int64_t a, int64_t b) { return wrapped_product(a, b); }
inline SymbolicSize times(SymbolicSize a, SymbolicSize b) { return a * b; }

// The functions below are documented in shape.h.
template <class D, class S>
int64_t broadcast_into(D& shape, S other) {
  const auto ndim = static_cast<int64_t>(other.size());
  while (shape.size() < ndim) shape.insert(0, 1);
  const int64_t offset = shape.size() - ndim;
  for (int64_t i = 0; i < ndim; ++i) {
    auto& size = shape[offset + i];
    const auto size_of_other = other[static_cast<size_t>(i)];
    if (size == size_of_other || size_of_other == 1) continue;
    if (!(size == 1)) [[unlikely]] {
      return offset + i;
    }
    size = size_of_other;
  }
  return -1;
}

template <class D, class S>
D row_major_strides(S sizes) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  D strides;
  strides.resize(ndim);
  Number<S> next = 1;
  for (int64_t i = ndim - 1; i >= 0; --i) {
    strides[i] = next;
    next = times(next, larger(sizes[static_cast<size_t>(i)], Number<S>(1)));
  }
  return strides;
}

template <class S>
void order_dims(S sizes, const Number<S>* const* strides, int ntensors, int64_t* perm) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  std::iota(perm, perm + ndim, int64_t{0});
  std::reverse(perm, perm + ndim);
  // Returns a positive number if dim a belongs outside dim b, and 0 if no tensor decides.
  const auto compare = [&](int64_t a, int64_t b) {
    for (int t = 0; t < ntensors; ++t) {
      const auto stride_a = strides[t][a];
      const auto stride_b = strides[t][b];
      if (stride_a == 0 || stride_b == 0) continue;
      if (!(stride_a == stride_b)) return stride_a < stride_b ? -1 : 1;
      if (sizes[static_cast<size_t>(a)] > sizes[static_cast<size_t>(b)]) return 1;
    }
    return 0;
  };
  // Insertion sort: the comparison is not transitive, so the sequence of steps defines the result.
  for (int64_t i = 1; i < ndim; ++i) {
    int64_t at = i;
    for (int64_t j = i - 1; j >= 0; --j) {
      const int order = compare(perm[j], perm[at]);
      if (order > 0) {
        std::swap(perm[j], perm[at]);
        at = j;
      } else if (order < 0) {
        break;
      }
    }
  }
}

// Computes strides that view the memory of a tensor, which has elements and dims, as `new_sizes`.
// Returns false if that requires a copy.
template <class S, class D>
bool view_strides(S sizes, S strides, S new_sizes, D* result) {
  const auto new_ndim = static_cast<int64_t>(new_sizes.size());
  result->resize(new_ndim);
  // Walk both shapes from the right, one run of dims that are adjacent in memory at a time.
  int64_t view_dim = new_ndim - 1;
  Number<S> run_stride = strides.back();
  Number<S> run_numel = 1;
  Number<S> view_numel = 1;
  for (auto dim = static_cast<int64_t>(sizes.size()) - 1; dim >= 0; --dim) {
    const auto d = static_cast<size_t>(dim);
    run_numel *= sizes[d];
    const bool run_ends =
        dim == 0 || (!(sizes[d - 1] == 1) && !(strides[d - 1] == times(run_numel, run_stride)));
    if (!run_ends) continue;
    while (view_dim >= 0 &&
           (view_numel < run_numel || new_sizes[static_cast<size_t>(view_dim)] == 1)) {
      (*result)[view_dim] = times(view_numel, run_stride);
      view_numel *= new_sizes[static_cast<size_t>(view_dim)];
      --view_dim;
    }
    if (!(view_numel == run_numel)) return false;
    if (dim > 0) {
      run_stride = strides[d - 1];
      run_numel = 1;
      view_numel = 1;
    }
  }
  return view_dim == -1;
}

}  // namespace tenon::kernels::rules
