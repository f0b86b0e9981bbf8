// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/order.h"

#include <algorithm>
#include <vector>

#include "kernels/common/walk.h"
#include "kernels/cpu/loops.h"

namespace tenon::kernels::cpu {
namespace {

// An element and where it was.
template <class T>
struct Placed {
  Compute<T> value;
  int64_t index;
};

template <class T, bool kDescending>
bool comes_first(const Placed<T>& a, const Placed<T>& b) {
  const bool first_is_nan = a.value != a.value;
  const bool second_is_nan = b.value != b.value;
  if (first_is_nan || second_is_nan) {
    if (first_is_nan != second_is_nan) return kDescending ? first_is_nan : second_is_nan;
    return a.index < b.index;
  }
  if (a.value != b.value) return kDescending ? a.value > b.value : a.value < b.value;
  return a.index < b.index;
}

// Strides along the dim, in bytes: of values, indices and self.
struct Steps {
  int64_t values;
  int64_t indices;
  int64_t self;
};

template <class T, bool kDescending>
void order_line(std::vector<Placed<T>>& line, int64_t kept, const Steps& steps, char* const* data) {
  const auto size = static_cast<int64_t>(line.size());
  for (int64_t i = 0; i < size; ++i) {
    line[static_cast<size_t>(i)] = {load<T>(data[2] + i * steps.self), i};
  }
  // The comparison knows no equals, so that this is stable.
  if (kept < size) {
    std::partial_sort(line.begin(), line.begin() + kept, line.end(), &comes_first<T, kDescending>);
  } else {
    std::sort(line.begin(), line.end(), &comes_first<T, kDescending>);
  }
  for (int64_t i = 0; i < kept; ++i) {
    const Placed<T>& placed = line[static_cast<size_t>(i)];
    store<T>(data[0] + i * steps.values, placed.value);
    store<int64_t>(data[1] + i * steps.indices, placed.index);
  }
}

int64_t step_of(const tenon_tensor_info& info, int64_t dim) {
  return info.ndim == 0 ? 0 : info.strides[dim] * size_of(dtype_of_info(info));
}

void order_lines(const char* op, const Ordered& ordered) {
  const tenon_tensor_info values = ordered.values.info();
  const tenon_tensor_info indices = ordered.indices.info();
  const tenon_tensor_info& self = ordered.self;
  if (values.numel == 0) return;
  Walk lines;
  Dims sizes(sizes_of(values));
  if (!sizes.empty()) sizes.erase(ordered.dim);
  int64_t perm[kMaxDims];
  row_major_order(sizes.size(), perm);
  lines.begin(sizes, perm, 3);
  int k = 0;
  for (const tenon_tensor_info* info : {&values, &indices, &self}) {
    Dims strides(strides_of(*info));
    if (!strides.empty()) strides.erase(ordered.dim);
    lines.set(k++, info->data, size_of(dtype_of_info(*info)), strides.begin());
  }
  const Steps steps{step_of(values, ordered.dim), step_of(indices, ordered.dim),
                    step_of(self, ordered.dim)};
  const int64_t size = size_along(self, ordered.dim);
  visit(op, "self", dtype_of_info(self), Joined<BoolType, RealTypes>(), [&]<class T>(Element<T>) {
    std::vector<Placed<T>> line(static_cast<size_t>(size));
    lines.steps<0>(lines.raw_data(), [&](char* const* data) {
      ordered.descending ? order_line<T, true>(line, ordered.kept, steps, data)
                         : order_line<T, false>(line, ordered.kept, steps, data);
    });
  });
}

}  // namespace

void run_ordered(const Call& call, Ordered ordered) {
  order_lines(call.op(), ordered);
  ordered.give(call);
}

}  // namespace tenon::kernels::cpu
