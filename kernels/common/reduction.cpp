// SPDX-License-Identifier: Apache-2.0
// From the arguments of a reduction to its result and walks.
#include "kernels/common/reduction.h"

#include "kernels/common/allocation.h"

namespace tenon::kernels {

void Reduction::input(const Tensor& self, std::optional<Sizes> dims) {
  check(tenon_tensor_describe(self.get(), &info_));
  if ((info_.flags & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(op_, "self", "a defined tensor", "the undefined tensor");
  }
  device_ = info_.device;
  if (!dims || dims->empty()) {
    mask_ = info_.ndim == 0 ? 0 : ~uint64_t{0} >> (64 - info_.ndim);
    folded_numel_ = info_.numel;
    return;
  }
  for (const int64_t given : *dims) {
    const int64_t dim = wrap_dim(op_, given, info_.ndim);
    if ((mask_ >> dim & 1) != 0) fail_argument(op_, "dim", "free of duplicates", *dims);
    mask_ |= uint64_t{1} << dim;
    if (info_.ndim > 0) folded_numel_ *= info_.sizes[dim];
  }
}

void Reduction::require_elements() const {
  if (folded_numel_ == 0) [[unlikely]] {
    fail(TENON_ERROR_INDEX, {op_, ": dim must have a size other than 0, got sizes ",
                             sizes_of(info_), "; no elements have no such value"});
  }
}

void Reduction::finish(Dtype result, bool keepdim) {
  Dims sizes;
  for (int32_t d = 0; d < info_.ndim; ++d) {
    const bool folds = (mask_ >> d & 1) != 0;
    if (!folds || keepdim) sizes.push_back(folds ? 1 : info_.sizes[d]);
  }
  result_ = allocate(sizes, result, device_);
  check(tenon_tensor_describe(result_.get(), &result_info_));
}

void Reduction::reuse(const Reduction& other, const Tensor& result) {
  info_ = other.info_;
  device_ = other.device_;
  mask_ = other.mask_;
  folded_numel_ = other.folded_numel_;
  result_ = result;
  result_info_ = result_.info();
}

void Reduction::walk_over(const tenon_tensor_info& self, bool in_order) {
  const int64_t element_size = size_of(dtype_of_info(self));
  const int64_t result_size = size_of(dtype_of_info(result_info_));
  if (is_contiguous(self) && folded_numel_ == self.numel && self.numel != 0) {
    // All that is kept are dims of size 1: one result, one run.
    kept_.flat(1, 2);
    kept_.set_flat(0, result_info_.data, result_size);
    kept_.set_flat(1, self.data, element_size);
    folded_.flat(self.numel, 1);
    folded_.set_flat(0, self.data, element_size);
    kept_is_inner_ = false;
    return;
  }
  Dims kept_sizes, kept_in, kept_out, folded_sizes, folded_in;
  for (int32_t d = 0; d < self.ndim; ++d) {
    if ((mask_ >> d & 1) != 0) {
      folded_sizes.push_back(self.sizes[d]);
      folded_in.push_back(self.strides[d]);
    } else {
      kept_sizes.push_back(self.sizes[d]);
      kept_in.push_back(self.strides[d]);
    }
  }
  kept_out = row_major_strides(kept_sizes);

  int64_t perm[kMaxDims];
  const int64_t* order[] = {kept_in.begin(), kept_out.begin()};
  order_dims(kept_sizes, order, 2, perm);
  kept_.begin(kept_sizes, perm, 2);
  kept_.set(0, result_info_.data, result_size, kept_out.begin());
  kept_.set(1, self.data, element_size, kept_in.begin());
  kept_.coalesce();

  if (in_order) {
    for (int64_t d = 0; d < folded_sizes.size(); ++d) perm[d] = folded_sizes.size() - 1 - d;
  } else {
    order[0] = folded_in.begin();
    order_dims(folded_sizes, order, 1, perm);
  }
  folded_.begin(folded_sizes, perm, 1);
  folded_.set(0, self.data, element_size, folded_in.begin());
  folded_.coalesce();
  kept_is_inner_ = kept_.size(0) > 1 && kept_.stride(1, 0) != 0 && folded_.size(0) > 1 &&
                   kept_.stride(1, 0) < folded_.stride(0, 0);
}

}  // namespace tenon::kernels
