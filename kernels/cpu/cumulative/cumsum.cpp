// SPDX-License-Identifier: Apache-2.0
// aten::cumsum on the CPU.
#include "kernels/ops/cumulative/cumsum.h"

#include "kernels/common/checked_size.h"
#include "kernels/common/walk.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// The type of the running sum: integers wrap, and floats are summed in double.
template <class T>
struct RunningSum {
  using type = std::conditional_t<std::is_integral_v<T>, uint64_t, Compute<T>>;
};
template <>
struct RunningSum<float> {
  using type = double;
};
template <>
struct RunningSum<Complex64> {
  using type = Complex128;
};

// Number of lines that are summed side by side, so that their additions do not wait for each other.
constexpr int64_t kSideBySide = 8;
// Number of lines to sum together if they are adjacent in memory.
constexpr int64_t kNeighbourLines = 256;

// Lines whose first elements are `next` bytes apart.
struct Lines {
  char* first;
  int64_t next;
  int64_t stride;  // along each line, in bytes
  int64_t length;
};

template <int64_t kLines, class T>
void add_up(const Lines& lines) {
  using Sum = typename RunningSum<T>::type;
  Sum sums[kLines];
  for (int64_t k = 0; k < kLines; ++k) sums[k] = Sum(0);
  char* at = lines.first;
  for (int64_t i = 0; i < lines.length; ++i, at += lines.stride) {
    for (int64_t k = 0; k < kLines; ++k) {
      sums[k] = sums[k] + static_cast<Sum>(load<T>(at + k * lines.next));
      store<T>(at + k * lines.next, sums[k]);
    }
  }
}

// Sums adjacent lines together, in the order of memory.
template <class T>
void add_up_neighbours(const Lines& lines, int64_t count) {
  using Sum = typename RunningSum<T>::type;
  Sum sums[kNeighbourLines];
  for (int64_t k = 0; k < count; ++k) sums[k] = Sum(0);
  char* at = lines.first;
  for (int64_t i = 0; i < lines.length; ++i, at += lines.stride) {
    for (int64_t k = 0; k < count; ++k) {
      char* const element = at + k * int64_t{sizeof(T)};
      sums[k] = sums[k] + static_cast<Sum>(load<T>(element));
      store<T>(element, sums[k]);
    }
  }
}

// Sums `count` lines.
template <class T>
void add_up_lines(Lines lines, int64_t count) {
  const bool neighbours = lines.next == sizeof(T) && count >= kSideBySide;
  while (count > 0) {
    int64_t some = 1;
    if (neighbours) {
      some = std::min(count, kNeighbourLines);
      add_up_neighbours<T>(lines, some);
    } else if (count >= kSideBySide) {
      some = kSideBySide;
      add_up<kSideBySide, T>(lines);
    } else {
      add_up<1, T>(lines);
    }
    lines.first += some * lines.next;
    count -= some;
  }
}

void cumsum(const Call& call) {
  int64_t dim;
  Tensor result = running_result(call, dim);
  const tenon_tensor_info info = result.info();
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  // Terms are cast to the result's dtype before they are added.
  if (info.data != self.data || info.dtype != self.dtype) cast(info, self);
  if (info.ndim > 0 && info.numel > 0) {
    const int64_t size = size_of(dtype_of_info(info));
    Dims sizes(sizes_of(info)), strides(strides_of(info));
    const int64_t count = sizes[dim];
    const int64_t step = wrapped_product(strides[dim], size);
    sizes.erase(dim);
    strides.erase(dim);
    int64_t perm[kMaxDims];
    row_major_order(sizes.size(), perm);
    Walk lines;
    lines.begin(sizes, perm, 1);
    lines.set(0, info.data, size, strides.begin());
    lines.coalesce();
    visit(call.op(), "self", dtype_of_info(info), Joined<BoolType, NumberTypes>(),
          [&]<class T>(Element<T>) {
            parallel_walk(
                lines, lines.raw_data(), count, [&](const Walk& part, char* const* first) {
                  part.rows<1>(first, [&](char* const* row) {
                    add_up_lines<T>({row[0], part.stride(0, 0), step, count}, part.size(0));
                  });
                });
          });
  }
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kCumsum() { return routine_of<ops::kCumsum, &cumsum>(); }

}  // namespace tenon::kernels::cpu
