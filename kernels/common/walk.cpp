// SPDX-License-Identifier: Apache-2.0
// Merging dims of a Walk, and iterating over it.
#include "kernels/common/walk.h"

#include "kernels/common/checked_size.h"

namespace tenon::kernels {

void broadcast_strides(Sizes shape, Sizes sizes, Sizes strides, int64_t* out_strides) {
  const size_t offset = shape.size() - sizes.size();
  for (size_t i = 0; i < offset; ++i) out_strides[i] = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const bool stretched = sizes[i] == 1 && shape[offset + i] != 1;
    out_strides[offset + i] = stretched ? 0 : strides[i];
  }
}

void Walk::begin(Sizes sizes, const int64_t* perm, int operands) {
  ndim_ = static_cast<int>(sizes.size());
  operands_ = operands;
  numel_ = 1;
  for (int d = 0; d < ndim_; ++d) {
    perm_[d] = perm[d];
    sizes_[d] = sizes[static_cast<size_t>(perm[d])];
    numel_ *= sizes_[d];
  }
}

void Walk::set(int k, void* data, int64_t element_size, const int64_t* strides) {
  data_[k] = static_cast<char*>(data);
  for (int d = 0; d < ndim_; ++d) strides_[d][k] = wrapped_product(strides[perm_[d]], element_size);
}

void Walk::coalesce() {
  if (ndim_ == 0) {
    ndim_ = 1;
    sizes_[0] = 1;
    for (int k = 0; k < operands_; ++k) strides_[0][k] = 0;
    return;
  }
  int last = 0;
  for (int d = 1; d < ndim_; ++d) {
    bool merges = sizes_[last] == 1 || sizes_[d] == 1;
    if (!merges) {
      merges = true;
      for (int k = 0; k < operands_; ++k) {
        merges = merges && wrapped_product(strides_[last][k], sizes_[last]) == strides_[d][k];
      }
    }
    if (merges) {
      if (sizes_[last] == 1) {
        for (int k = 0; k < operands_; ++k) strides_[last][k] = strides_[d][k];
      }
      sizes_[last] *= sizes_[d];
    } else {
      ++last;
      sizes_[last] = sizes_[d];
      for (int k = 0; k < operands_; ++k) strides_[last][k] = strides_[d][k];
    }
  }
  ndim_ = last + 1;
}

void Walk::run_rows(Loop loop, const void* ctx) const {
  rows<kAnyOperands>(data_, [&](char* const* data) { loop(data, strides_[0], sizes_[0], ctx); });
}

}  // namespace tenon::kernels
