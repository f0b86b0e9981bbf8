// SPDX-License-Identifier: Apache-2.0
// Plans of pointwise calls with several results: the same checks and shape, and one walk.
#include <algorithm>

#include "kernels/common/checked_size.h"
#include "kernels/common/families/elementwise.h"
#include "kernels/common/overlap.h"

namespace tenon::kernels {
namespace {

bool has_sizes(const tenon_tensor_info& info, Sizes sizes) {
  return std::ranges::equal(sizes_of(info), sizes);
}

}  // namespace

void Elementwise::finish_several(std::span<OneOfSeveral> results) {
  common_device();
  Dims shape(sizes_of(infos_[0]));
  for (int k = 1; k < ninputs_; ++k) shape = broadcast(op_, shape, sizes_of(infos_[k]));
  // Check all outputs before the first one changes.
  for (const OneOfSeveral& result : results) {
    if (result.given != nullptr) check_output(info_of(result.given), result.name, result.dtype);
  }
  results_ = results.data();
  further_ = static_cast<int>(results.size()) - 1;
  settle_several(shape);
  given_ = results_[0].tensor();
  result_dtype_ = results_[0].dtype;
  describe_output(info_of(given_));
  for (int k = 0; k < outputs(); ++k) {
    for (int other = 0; other < k; ++other) {
      check_outputs_apart(op_, output_info(k), output_info(other));
    }
    has_casts_ = has_casts_ || output_needs_cast(k);
  }
  for (int k = 0; k < ninputs_; ++k) has_casts_ = has_casts_ || needs_cast(k);
  walk_several(shape);
}

// Allocates new results and resizes the outputs that the caller passed.
void Elementwise::settle_several(Sizes shape) {
  int64_t strides[kMaxOperands][kMaxDims];
  const int64_t* order[kMaxOperands] = {};
  int count = 0;
  Dims given[kMaxResults];
  for (int k = 0; k < outputs(); ++k) {
    if (results_[k].given == nullptr) continue;
    const tenon_tensor_info info = info_of(results_[k].given);
    if (!has_sizes(info, shape)) continue;
    given[k] = Dims(strides_of(info));
    order[count++] = given[k].begin();
  }
  int64_t scratch[kMaxDims];
  for (int k = 0; k < ninputs_; ++k) {
    broadcast_strides(shape, sizes_of(infos_[k]), input_strides(k, scratch), strides[k]);
    order[count++] = strides[k];
  }
  int64_t perm[kMaxDims];
  order_dims(shape, order, count, perm);
  Dims dense(shape);
  int64_t next = 1;
  bool row_major = true;
  for (int64_t d = 0; d < dense.size(); ++d) {
    row_major = row_major && perm[d] == dense.size() - 1 - d;
    dense[perm[d]] = next;
    next = wrapped_product(next, shape[static_cast<size_t>(perm[d])]);
  }
  if (ninputs_ == 1 && count == 1) {
    dense = preserving_strides(shape, strides_of(infos_[0]));
    row_major = false;
  }
  for (int k = 0; k < outputs(); ++k) {
    OneOfSeveral& result = results_[k];
    if (result.given == nullptr) {
      result.made =
          kernels::allocate(shape, result.dtype, device_, row_major ? nullptr : dense.begin());
    } else if (!has_sizes(info_of(result.given), shape)) {
      resize_output(result.given, shape, dense.begin(), row_major);
    }
  }
}

void Elementwise::walk_several(Sizes shape) {
  int64_t strides[kMaxInputs][kMaxDims];
  const int64_t* order[kMaxOperands] = {};
  const int outs = outputs();
  for (int k = 0; k < outs; ++k) order[k] = output_info(k).strides;
  for (int k = 0; k < ninputs_; ++k) {
    broadcast_strides(shape, sizes_of(infos_[k]), strides_of(infos_[k]), strides[k]);
    order[outs + k] = strides[k];
  }
  int64_t perm[kMaxDims];
  order_dims(shape, order, outs + ninputs_, perm);
  walk_.begin(shape, perm, outs + ninputs_);
  for (int k = 0; k < outs; ++k) {
    const tenon_tensor_info info = output_info(k);
    walk_.set(k, info.data, size_of(output_dtype(k)), info.strides);
  }
  for (int k = 0; k < ninputs_; ++k) {
    walk_.set(outs + k, infos_[k].data, size_of(dtype_of_info(infos_[k])), strides[k]);
  }
  walk_.coalesce();
}

}  // namespace tenon::kernels
