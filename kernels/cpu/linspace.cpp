// SPDX-License-Identifier: Apache-2.0
// aten::linspace on the CPU.
#include "kernels/ops/linspace.h"

#include <cmath>

#include "kernels/cpu/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {

namespace {

// From the nearer end, which is met exactly.
template <class T, class Step>
void fill_line(const tenon_tensor_info& out, Step start, Step end) {
  const int64_t count = out.numel;
  if (count == 1) end = start;
  const Step step = count > 1 ? (end - start) / Step(static_cast<Real<Step>>(count - 1)) : Step(0);
  const int64_t stride = out.ndim == 0 ? 0 : out.strides[0] * int64_t{sizeof(T)};
  char* at = static_cast<char*>(out.data);
  for (int64_t i = 0; i < count; ++i, at += stride) {
    const bool is_first_half = i < count / 2;
    const auto steps = static_cast<Real<Step>>(is_first_half ? i : count - 1 - i);
    store<T>(at, is_first_half ? start + step * Step(steps) : end - step * Step(steps));
  }
}

void linspace(const Call& call) {
  const Tensor out = linspace_result(call);
  const tenon_tensor_info info = out.info();
  const auto start = call.get<Scalar>(0), end = call.get<Scalar>(1);
  visit(call.op(), "out", out.dtype(), NumberTypes(), [&]<class T>(Element<T>) {
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
