// SPDX-License-Identifier: Apache-2.0
// Implements aten::float_power by calling other operators.
#include "kernels/ops/arithmetic/float_power.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> power("aten::pow.Tensor_Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> power_of_number(
    "aten::pow.Tensor_Scalar");
constinit const LazyOp<Tensor(const Scalar&, const Tensor&)> number_to_power("aten::pow.Scalar");

Dtype wide(bool is_one_complex) { return is_one_complex ? Dtype::C128 : Dtype::F64; }

void check_self(const Call& call, Dtype dtype) {
  if (call.form.written != 0) return;
  const Dtype own = call.get<Tensor>(0)->dtype();
  if (own != dtype)
    fail_argument(call.op(), "self", std::string("have dtype ") + name_of(dtype), own);
}

}  // namespace

void float_power(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), exponent = *call.get<Tensor>(1);
  const Dtype dtype = wide(is_complex(self.dtype()) || is_complex(exponent.dtype()));
  check_self(call, dtype);
  give_or_write(call, power(cast(self, dtype), cast(exponent, dtype)));
}

void float_power_number(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const auto exponent = call.get<Scalar>(1);
  const Dtype dtype = wide(is_complex(self.dtype()) || exponent.is_complex());
  check_self(call, dtype);
  give_or_write(call, power_of_number(cast(self, dtype), exponent));
}

void number_float_power(const Call& call) {
  const auto self = call.get<Scalar>(0);
  const Tensor exponent = *call.get<Tensor>(1);
  call.give(0, number_to_power(
                   self, cast(exponent, wide(self.is_complex() || is_complex(exponent.dtype())))));
}

}  // namespace tenon::kernels::ops
