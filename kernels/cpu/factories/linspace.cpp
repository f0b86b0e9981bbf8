// SPDX-License-Identifier: Apache-2.0
// aten::linspace on the CPU.
#include "kernels/ops/factories/linspace.h"

#include <cmath>

#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {

namespace {

// Converts a computed number to an element. A double cannot distinguish the largest int64 from
// 2^63, and negative numbers wrap to unsigned elements.
template <class T, class Step>
auto between_elements(Step number) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(number < 0x1.0p63 ? static_cast<int64_t>(number) : INT64_MAX);
  } else {
    return number;
  }
}

// Computes elements from the nearer end, so that both ends are exact.
template <class T, class Step>
void fill_line(const tenon_tensor_info& out, Step start, Step end) {
  const int64_t count = out.numel;
  if (count == 1) end = start;
  const Step step = count > 1 ? (end - start) / Step(static_cast<Real<Step>>(count - 1)) : Step(0);
  // An out with this number of elements keeps its sizes and is filled in row-major order.
  int64_t perm[kMaxDims];
  row_major_order(out.ndim, perm);
  Walk walk;
  walk.begin(sizes_of(out), perm, 1);
  walk.set(0, out.data, sizeof(T), out.strides);
  int64_t i = 0;
  walk.steps<0, 1>(walk.raw_data(), [&](char* const* data) {
    const bool is_first_half = i < count / 2;
    const auto steps = static_cast<Real<Step>>(is_first_half ? i : count - 1 - i);
    const Step number = is_first_half ? start + step * Step(steps) : end - step * Step(steps);
    store<T>(data[0], between_elements<T>(number));
    ++i;
  });
}

void linspace(const Call& call) {
  const Tensor out = linspace_result(call);
  const tenon_tensor_info info = out.info();
  if (info.numel == 0) return;
  const auto start = call.get<Scalar>(0), end = call.get<Scalar>(1);
  visit(call.op(), "out", out.dtype(), NumberTypes(), [&]<class T>(Element<T>) {
    checked_element_of<T>(call.op(), "start", start);
    checked_element_of<T>(call.op(), "end", end);
    if constexpr (is_complex_element<T>) {
      const auto whole = [](const Scalar& number) {
        const std::complex<double> z = number.to_complex();
        return T(static_cast<Real<T>>(z.real()), static_cast<Real<T>>(z.imag()));
      };
      fill_line<T>(info, whole(start), whole(end));
    } else if constexpr (std::is_integral_v<T>) {
      fill_line<T>(info, std::trunc(start.to_double()), std::trunc(end.to_double()));
    } else {
      using Step = Compute<T>;
      fill_line<T>(info, static_cast<Step>(start.to_double()), static_cast<Step>(end.to_double()));
    }
  });
}

}  // namespace

Operator operator_kLinspaceOut() { return routine_of<ops::kLinspaceOut, &linspace>(); }

}  // namespace tenon::kernels::cpu
