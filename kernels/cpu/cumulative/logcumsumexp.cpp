// SPDX-License-Identifier: Apache-2.0
// aten::logcumsumexp on the CPU.
#include "kernels/ops/cumulative/logcumsumexp.h"

#include <cmath>

#include "kernels/common/maths/maths.h"
#include "kernels/cpu/loops/lines.h"
#include "kernels/cpu/loops/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// Computed in double for all dtypes. The exponential is at most 1, so it cannot overflow; equal
// infinities are not subtracted, which would be NaN.
double log_of_sum(double a, double b) {
  if (a != a || b != b) return a + b;
  const double larger = a > b ? a : b, smaller = a > b ? b : a;
  if (larger == smaller && std::isinf(larger)) return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

// The angle of the sum is that of the term with the larger real part, plus less than half a turn.
// It is not reduced to the principal value.
Complex128 log_of_sum(Complex128 a, Complex128 b) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (a.re != a.re || a.im != a.im || b.re != b.re || b.im != b.im) return {kNan, kNan};
  const Complex128 larger = a.re < b.re ? b : a, smaller = a.re < b.re ? a : b;
  if (std::isinf(larger.re) && larger.re == smaller.re) {
    // log(0) has no angle; that of infinities is the angle of their sum.
    return larger.re < 0 ? smaller : maths::log(maths::exp(smaller) + maths::exp(larger));
  }
  const Complex128 apart = smaller - larger;
  if (std::isinf(apart.re)) return larger;
  const double size = std::exp(apart.re);
  const Complex128 part{size * std::cos(apart.im), size * std::sin(apart.im)};
  return maths::log1p(part) + larger;
}

template <class T>
void sums_of_line(char* const* data, const LineShape& line) {
  using Sum = std::conditional_t<is_complex_element<T>, Complex128, double>;
  char* out = data[0];
  const char* in = data[1];
  Sum sum(-std::numeric_limits<double>::infinity());
  for (int64_t i = 0; i < line.count; ++i) {
    sum = log_of_sum(sum, static_cast<Sum>(load<T>(in)));
    store<T>(out, static_cast<Compute<T>>(sum));
    out += line.steps[0];
    in += line.steps[1];
  }
}

void logcumsumexp(const Call& call) {
  int64_t dim;
  Tensor result = ops::logcumsumexp_result(call, dim);
  const tenon_tensor_info info = result.info(), self = call.get<Tensor>(0)->info();
  visit(call.op(), "self", dtype_of_info(self), FloatAndComplexTypes(),
        [&]<class T>(Element<T>) { each_line(dim, &sums_of_line<T>, info, self); });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kLogcumsumexp() { return routine_of<ops::kLogcumsumexp, &logcumsumexp>(); }

}  // namespace tenon::kernels::cpu
