// SPDX-License-Identifier: Apache-2.0
// aten::cumsum on the CPU.
#include "kernels/ops/cumsum.h"

#include "kernels/common/walk.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// What terms are added up in.
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

template <class T>
void add_up(char* at, int64_t stride, int64_t count) {
  using Sum = typename RunningSum<T>::type;
  Sum sum(0);
  for (int64_t i = 0; i < count; ++i, at += stride) {
    sum = sum + static_cast<Sum>(load<T>(at));
    store<T>(at, sum);
  }
}

void cumsum(const Call& call) {
  int64_t dim;
  Tensor result = running_result(call, dim);
  const tenon_tensor_info info = result.info();
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  // What is added up are the terms as the result has them.
  if (info.data != self.data || info.dtype != self.dtype) cast(info, self);
  if (info.ndim > 0 && info.numel > 0) {
    const int64_t size = size_of(dtype_of_info(info));
    Dims sizes(sizes_of(info)), strides(strides_of(info));
    const int64_t count = sizes[dim];
    const int64_t step = strides[dim] * size;
    sizes.erase(dim);
    strides.erase(dim);
    int64_t perm[kMaxDims];
    row_major_order(sizes.size(), perm);
    Walk lines;
    lines.begin(sizes, perm, 1);
    lines.set(0, info.data, size, strides.begin());
    visit(call.op(), "self", dtype_of_info(info), Joined<BoolType, NumberTypes>(),
          [&]<class T>(Element<T>) {
            lines.steps<0>(lines.raw_data(),
                           [&](char* const* line) { add_up<T>(line[0], step, count); });
          });
  }
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kCumsum() { return routine_of<ops::kCumsum, &cumsum>(); }

}  // namespace tenon::kernels::cpu
