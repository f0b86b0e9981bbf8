// SPDX-License-Identifier: Apache-2.0
// aten::logcumsumexp on the CPU.
#include "kernels/ops/logcumsumexp.h"

#include <cmath>

#include "kernels/cpu/lines.h"
#include "kernels/cpu/loops.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// In double, whatever the elements are. No exponential is larger than 1; equal infinities are not
// subtracted.
double log_of_sum(double a, double b) {
  if (a != a || b != b) return a + b;
  const double larger = a > b ? a : b, smaller = a > b ? b : a;
  if (larger == smaller && std::isinf(larger)) return larger;
  return larger + std::log1p(std::exp(smaller - larger));
}

template <class T>
void sums_of_line(char* const* data, const LineShape& line) {
  char* out = data[0];
  const char* in = data[1];
  double sum = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < line.count; ++i) {
    sum = log_of_sum(sum, static_cast<double>(load<T>(in)));
    store<T>(out, static_cast<Compute<T>>(sum));
    out += line.steps[0];
    in += line.steps[1];
  }
}

void logcumsumexp(const Call& call) {
  int64_t dim;
  Tensor result = ops::logcumsumexp_result(call, dim);
  const tenon_tensor_info info = result.info(), self = call.get<Tensor>(0)->info();
  visit(call.op(), "self", dtype_of_info(self), FloatTypes(),
        [&]<class T>(Element<T>) { each_line(dim, &sums_of_line<T>, info, self); });
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kLogcumsumexp() { return routine_of<ops::kLogcumsumexp, &logcumsumexp>(); }

}  // namespace tenon::kernels::cpu
