// SPDX-License-Identifier: Apache-2.0
// Implements aten::ldexp by calling other operators.
#include "kernels/ops/arithmetic/ldexp.h"

#include <string_view>

#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Tensor(const Scalar&, const Tensor&)> power_of_base("aten::pow.Scalar");

// Multiplies by whole exponents, in double and in three steps, so that no power overflows, and the
// product overflows only if the result does.
Tensor scaled_exactly(const Tensor& self, const Tensor& exponent) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> within(
      "aten::clamp");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&,
                                       std::optional<std::string_view>)>
      divided("aten::div.Scalar_mode");
  const Tensor whole =
      cast(within(exponent, Scalar(int64_t{-3000}), Scalar(int64_t{3000})), Dtype::F64);
  const Tensor third = divided(whole, Scalar(3), "trunc");
  const Tensor rest = call_sub(call_sub(whole, third), third);
  const Tensor step = power_of_base(Scalar(2.0), third);
  const Tensor wide = call_mul(call_mul(cast(self, Dtype::F64), step), step);
  return cast(call_mul(wide, power_of_base(Scalar(2.0), rest)), self.dtype());
}

}  // namespace

void ldexp(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), exponent = *call.get<Tensor>(1);
  const auto give = [&](Tensor made) {
    if (call.form.is_out()) return give_or_cast(call, std::move(made));
    give_or_write(call, std::move(made));
  };
  if (is_floating(self.dtype()) && is_integral(exponent.dtype())) {
    return give(scaled_exactly(self, exponent));
  }
  ResultType type;
  type.add(kind_of(self));
  type.add(kind_of(exponent));
  const Dtype wide = to_real(type.get());
  const bool is_wider = is_floating(exponent.dtype()) && is_floating(wide);
  const Tensor of_two = power_of_base(Scalar(2.0), is_wider ? cast(exponent, wide) : exponent);
  give(call_mul(self, of_two));
}

}  // namespace tenon::kernels::ops
