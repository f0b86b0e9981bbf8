// SPDX-License-Identifier: Apache-2.0
// Building the results and walks of a reduction from its arguments.
#include "kernels/common/families/reduction.h"

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {

void Reduction::input(const tenon_tensor* self, std::optional<Sizes> dims) {
  check(tenon_tensor_describe(self, &info_));
  check_defined(op_, "self", info_);
  self_ = self;
  if (!dims) {
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
    fail(TENON_ERROR_INDEX, {op_, ": dim must have a non-zero size, got sizes ", sizes_of(info_),
                             "; the operation has no identity for an empty slice"});
  }
}

namespace {

tenon_tensor_info info_of(const tenon_tensor* tensor) {
  tenon_tensor_info info;
  check(tenon_tensor_describe(tensor, &info));
  return info;
}

void check_out(const char* op, const char* name, const tenon_tensor_info& out, Dtype dtype,
               const Device& device) {
  check_defined(op, name, out);
  check_not_read_only(op, name, out);
  if (dtype_of_info(out) != dtype) {
    fail_argument(op, name, std::string("have dtype ") + name_of(dtype), dtype_of_info(out));
  }
  if (!(Device(out.device) == device)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": ", name, " must be on ", device, " like the input, got ", Device(out.device)});
  }
}

}  // namespace

void Reduction::result(Dtype dtype, bool keepdim, tenon_tensor* out, const char* name) {
  Dims sizes;
  for (int32_t d = 0; d < info_.ndim; ++d) {
    const bool folds = (mask_ >> d & 1) != 0;
    if (!folds || keepdim) sizes.push_back(folds ? 1 : info_.sizes[d]);
  }
  keepdim_ = keepdim;
  tenon_tensor_info& result = result_infos_[results_];
  if (out == nullptr) {
    Tensor& made = new_results_[results_];
    made = allocate(sizes, dtype, info_.device);
    out = made.get();
    result = info_of(out);
  } else {
    result = info_of(out);
    check_out(op_, name, result, dtype, info_.device);
    if (!std::ranges::equal(sizes_of(result), Sizes(sizes))) {
      resize_out(op_, out, sizes);
      result = info_of(out);
      // Resizing may have moved the storage, and the input may be a view of it: describe it again.
      info_ = info_of(self_);
    }
    check_no_internal_overlap(op_, result);
    check_no_overlap(op_, result, info_);
    for (int k = 0; k < results_; ++k) check_no_overlap(op_, result, result_infos_[k]);
  }
  ++results_;
}

void Reduction::build_walks(bool in_order) { build_walks_over(info_, in_order); }

void Reduction::build_walks_over(const tenon_tensor_info& self, bool in_order) {
  const int64_t element_size = size_of(dtype_of_info(self));
  const int operands = results_ + 1;
  if (is_contiguous(self) && folded_numel_ == self.numel && self.numel != 0) {
    // All dims that are kept have size 1: one result, one row of elements.
    kept_.flat(1, operands);
    for (int k = 0; k < results_; ++k) {
      kept_.set_flat(k, result_infos_[k].data, size_of(result_dtype(k)));
    }
    kept_.set_flat(results_, self.data, element_size);
    folded_.flat(self.numel, 1);
    folded_.set_flat(0, self.data, element_size);
    kept_is_inner_ = false;
    return;
  }
  Dims kept_sizes, kept_in, kept_out[kMaxResults], folded_sizes, folded_in;
  int32_t at = 0;  // index into the result's dims
  for (int32_t d = 0; d < self.ndim; ++d) {
    if ((mask_ >> d & 1) != 0) {
      folded_sizes.push_back(self.sizes[d]);
      folded_in.push_back(self.strides[d]);
      if (keepdim_) ++at;
    } else {
      kept_sizes.push_back(self.sizes[d]);
      kept_in.push_back(self.strides[d]);
      for (int k = 0; k < results_; ++k) kept_out[k].push_back(result_infos_[k].strides[at]);
      ++at;
    }
  }

  int64_t perm[kMaxDims];
  const int64_t* order[] = {kept_in.begin(), kept_out[0].begin()};
  order_dims(kept_sizes, order, 2, perm);
  kept_.begin(kept_sizes, perm, operands);
  for (int k = 0; k < results_; ++k) {
    kept_.set(k, result_infos_[k].data, size_of(result_dtype(k)), kept_out[k].begin());
  }
  kept_.set(results_, self.data, element_size, kept_in.begin());
  kept_.coalesce();

  if (in_order) {
    row_major_order(folded_sizes.size(), perm);
  } else {
    order[0] = folded_in.begin();
    order_dims(folded_sizes, order, 1, perm);
  }
  folded_.begin(folded_sizes, perm, 1);
  folded_.set(0, self.data, element_size, folded_in.begin());
  folded_.coalesce();
  kept_is_inner_ = kept_.size(0) > 1 && kept_.stride(results_, 0) != 0 && folded_.size(0) > 1 &&
                   kept_.stride(results_, 0) < folded_.stride(0, 0);
}

}  // namespace tenon::kernels
