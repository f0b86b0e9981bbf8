// SPDX-License-Identifier: Apache-2.0
// aten::searchsorted on the CPU, by binary search.
#include "kernels/ops/sorting/searchsorted.h"

#include "kernels/common/allocation.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {

namespace {

// One sorted line; if there is a sorter, elements are read through its indices.
struct SortedLine {
  const char* data;
  int64_t stride;
  const char* sorter;
  int64_t sorter_stride;

  template <class T>
  Compute<T> at(int64_t i) const {
    if (sorter != nullptr) i = *reinterpret_cast<const int64_t*>(sorter + i * sorter_stride);
    return load<T>(data + i * stride);
  }
};

// Returns the insertion index of a value. NaN sorts after all numbers.
template <class T, bool kRight>
int64_t place_of(const SortedLine& line, int64_t count, Compute<T> value) {
  int64_t first = 0;
  while (count > 0) {
    const int64_t half = count / 2;
    const Compute<T> middle = line.at<T>(first + half);
    const bool is_before = kRight ? !(middle > value) : !(middle >= value);
    if (is_before) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

template <class T, bool kRight>
void find_lines(const Search& search, const tenon_tensor_info& result) {
  const tenon_tensor_info& sequence = search.sequence;
  const int64_t length = sequence.sizes[sequence.ndim - 1];
  const bool is_small = dtype_of_info(result) == Dtype::I32;
  const bool has_lines = sequence.ndim > 1;
  // Walks values, results and, if it has the same dims, the sequence.
  Dims line_strides = Dims::filled(search.values.ndim, 0);
  Dims sorter_strides = line_strides;
  for (int64_t d = 0; has_lines && d < search.values.ndim - 1; ++d) {
    line_strides[d] = sequence.strides[d];
    if (search.sorter) sorter_strides[d] = search.sorter->strides[d];
  }
  int64_t perm[kMaxDims];
  row_major_order(search.values.ndim, perm);
  Walk walk;
  walk.begin(sizes_of(search.values), perm, 4);
  walk.set(0, result.data, is_small ? 4 : 8, result.strides);
  walk.set(1, search.values.data, sizeof(T), search.values.strides);
  walk.set(2, sequence.data, sizeof(T), line_strides.begin());
  walk.set(3, search.sorter ? search.sorter->data : nullptr, 8, sorter_strides.begin());
  SortedLine line{
      nullptr, wrapped_product(sequence.strides[sequence.ndim - 1], int64_t{sizeof(T)}), nullptr,
      search.sorter ? wrapped_product(search.sorter->strides[sequence.ndim - 1], 8) : 0};
  walk.steps<0, 4>(walk.raw_data(), [&](char* const* data) {
    line.data = data[2];
    line.sorter = search.sorter ? data[3] : nullptr;
    const int64_t place = place_of<T, kRight>(line, length, load<T>(data[1]));
    if (is_small) {
      store<int32_t>(data[0], place);
    } else {
      store<int64_t>(data[0], place);
    }
  });
}

// Converts `info` to another dtype; `made` keeps the elements.
void read_as(tenon_tensor_info& info, Dtype dtype, Tensor& made) {
  if (dtype_of_info(info) == dtype) return;
  made = allocate(sizes_of(info), dtype, info.device);
  const tenon_tensor_info target = made.info();
  if (info.numel != 0) cast(target, info);
  info = target;
}

void searchsorted(const Call& call) {
  Search search = search_of(call);
  const tenon_tensor_info result = search.result.info();
  Tensor kept[2];
  ResultType common;
  common.add(search.sequence);
  common.add(search.values);
  read_as(search.sequence, common.get(), kept[0]);
  read_as(search.values, common.get(), kept[1]);
  if (result.numel != 0) {
    visit(call.op(), "self", dtype_of_info(search.values), RealTypes(), [&]<class T>(Element<T>) {
      search.right ? find_lines<T, true>(search, result) : find_lines<T, false>(search, result);
    });
  }
  if (call.form.is_functional()) call.give(0, std::move(search.result));
}

}  // namespace

Operator operator_kSearchsorted() { return routine_of<ops::kSearchsorted, &searchsorted>(); }

}  // namespace tenon::kernels::cpu
