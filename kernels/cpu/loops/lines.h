// SPDX-License-Identifier: Apache-2.0
// Iteration over the lines of tensors along one dim, for kernels that process whole lines.
#pragma once

#include "kernels/common/checked_size.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {

// The number of elements of a line, and their distance in bytes in each tensor.
struct LineShape {
  int64_t count;
  int64_t steps[3];
};

// Calls `each(data, shape)` with the first elements of each line of tensors of one shape. Large
// tensors are distributed over threads. A 0-dim tensor counts as a line of one element.
template <class... Infos, class Each>
void each_line(int64_t dim, Each&& each, const Infos&... infos) {
  const tenon_tensor_info* const tensors[] = {&infos...};
  const tenon_tensor_info& first = *tensors[0];
  if (first.numel == 0) return;
  LineShape shape{size_along(first, dim), {}};
  Dims sizes(sizes_of(first));
  if (first.ndim > 0) sizes.erase(dim);
  int64_t perm[kMaxDims];
  row_major_order(sizes.size(), perm);
  Walk walk;
  walk.begin(sizes, perm, sizeof...(Infos));
  for (size_t k = 0; k < sizeof...(Infos); ++k) {
    const int64_t size = size_of(dtype_of_info(*tensors[k]));
    Dims strides(strides_of(*tensors[k]));
    if (first.ndim > 0) {
      shape.steps[k] = wrapped_product(strides[dim], size);
      strides.erase(dim);
    }
    walk.set(static_cast<int>(k), tensors[k]->data, size, strides.begin());
  }
  if (walk.ndim() == 0) {
    walk.steps<0, sizeof...(Infos)>(walk.raw_data(), [&](char* const* data) { each(data, shape); });
    return;
  }
  parallel_walk(walk, walk.raw_data(), shape.count, [&](const Walk& part, char* const* base) {
    part.steps<0, sizeof...(Infos)>(base, [&](char* const* data) { each(data, shape); });
  });
}

}  // namespace tenon::kernels::cpu
