// SPDX-License-Identifier: Apache-2.0
// Implements aten::mvlgamma by calling other operators.
#include "kernels/ops/special/mvlgamma.h"

#include <cmath>

#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

// https://dlmf.nist.gov/35.3.E4
void mvlgamma(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> log_of_gamma("aten::lgamma");
  constexpr double kLogOfPi = 1.1447298858494001741;
  const Tensor self = *call.get<Tensor>(0);
  const auto p = call.get<int64_t>(1);
  if (p < 1) fail_argument(call.op(), "p", "at least 1", p);
  if (is_complex(self.dtype()) || self.dtype() == Dtype::Bool) {
    fail_dtype(call.op(), "self", self.dtype(), "integers or floating");
  }
  const Tensor numbers = is_floating(self.dtype()) ? self : cast(self, default_dtype());
  const Tensor steps = call_mul(cast(call_arange(p, numbers), numbers.dtype()), -0.5);
  const Tensor each = log_of_gamma(call_add(call_unsqueeze(numbers, -1), steps));
  const auto count = static_cast<double>(p);
  Tensor result = call_add(call_sum_of_dim(each, -1), count * (count - 1) / 4 * kLogOfPi);
  if (call.form.is_out()) return give_or_cast(call, std::move(result));
  give_or_write(call, std::move(result));
}

}  // namespace tenon::kernels::ops
