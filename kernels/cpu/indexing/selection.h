// SPDX-License-Identifier: Apache-2.0
// Iteration over the elements of a CPU tensor that index tensors select.
#pragma once

#include "kernels/common/indexing.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/parallel_loop.h"

namespace tenon::kernels::cpu {

// One row of a selection: `count` elements of self, and the corresponding elements of another
// tensor. Strides are in bytes.
struct SelectedRow {
  char* self;
  int64_t self_stride;
  char* other;
  int64_t other_stride;
  int64_t count;
};

// Order in which rows are visited. With Any, several threads may visit them at once.
enum class PlaceOrder { RowMajor, Any };

// Calls `each(row)` for all rows that `indexing` selects of `self`, in row-major order of the
// indices or in any order. `strides` are those of `other`, which has the same dtype, over the sizes
// of the selection.
template <PlaceOrder kOrder, class Each>
void each_selected(const Indexing& indexing, const tenon_tensor_info& self,
                   const tenon_tensor_info& other, const int64_t* strides, Each&& each) {
  const std::vector<int64_t> offsets = indexing.offsets();
  const int64_t size = size_of(dtype_of_info(self));
  const int64_t first = indexing.index_dim();
  const int64_t last = first + indexing.index_sizes().size();
  Dims sizes, of_self, of_other;
  sizes.resize(0), of_self.resize(0), of_other.resize(0);
  for (int64_t d = 0; d < indexing.sizes().size(); ++d) {
    if (d >= first && d < last) continue;
    sizes.push_back(indexing.sizes()[d]);
    of_self.push_back(indexing.self_strides()[d]);
    of_other.push_back(strides[d]);
  }
  const int64_t* order[] = {of_self.begin(), of_other.begin()};
  int64_t perm[kMaxDims];
  order_dims(sizes, order, 2, perm);
  Walk rest;
  rest.begin(sizes, perm, 2);
  rest.set(0, self.data, size, of_self.begin());
  rest.set(1, other.data, size, of_other.begin());
  rest.coalesce();

  row_major_order(last - first, perm);
  Walk places;
  places.begin(indexing.index_sizes(), perm, 1);
  places.set(0, other.data, size, strides + first);
  const bool is_plain = places.ndim() == 1 && rest.ndim() <= 1 && rest.numel() != 0;
  const auto step_through = [&](const Walk& part, char* const* begin, const int64_t* offset) {
    SelectedRow row{nullptr, rest.stride(0, 0), nullptr, rest.stride(1, 0), rest.size(0)};
    if (is_plain) {
      row.other = begin[0];
      for (int64_t k = 0; k < part.size(0); ++k, row.other += part.stride(0, 0)) {
        row.self = static_cast<char*>(self.data) + *offset++ * size;
        each(static_cast<const SelectedRow&>(row));
      }
      return;
    }
    part.steps<0, 1>(begin, [&](char* const* place) {
      char* const base[] = {static_cast<char*>(self.data) + *offset++ * size, place[0]};
      rest.rows<2>(base, [&](char* const* data) {
        row.self = data[0];
        row.other = data[1];
        each(static_cast<const SelectedRow&>(row));
      });
    });
  };
  if (kOrder == PlaceOrder::Any && rest.numel() * places.numel() > kGrain && places.ndim() > 0) {
    const int dim = places.ndim() - 1;
    const int64_t below = places.numel() / places.size(dim);
    const int64_t step = std::max<int64_t>(kGrain / std::max<int64_t>(below * rest.numel(), 1), 1);
    return parallel_for(places.size(dim), step, [&](int64_t begin, int64_t end) {
      char* first[kMaxOperands];
      const Walk part = places.range(dim, begin, end, places.raw_data(), first);
      step_through(part, first, offsets.data() + begin * below);
    });
  }
  step_through(places, places.raw_data(), offsets.data());
}

}  // namespace tenon::kernels::cpu
