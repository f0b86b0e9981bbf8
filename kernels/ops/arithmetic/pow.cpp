// SPDX-License-Identifier: Apache-2.0
// Implements aten::pow with a number as base or exponent by calling other operators.
#include "kernels/ops/arithmetic/pow.h"

#include <optional>

#include "kernels/common/call.h"
#include "kernels/common/maths/integer_range.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

using PowOut = void(const Tensor&, const Tensor&, const Tensor&);
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> kPow("aten::pow.Tensor_Tensor");
constinit const LazyOp<PowOut> kPowOut("aten::pow.Tensor_Tensor_out");
constinit const LazyOp<void(const Tensor&, const Tensor&)> kPowInto("aten::pow_.Tensor");

// Returns the first or second power as a product, which is exact and ten times as fast. Returns
// nullopt if the power has another dtype, and for a written tensor, about which pow itself has to
// report errors.
std::optional<Tensor> product_for(const Call& call, const Tensor& self, const Scalar& exponent) {
  const bool has_whole_elements = is_bool_or_integral(self.dtype());
  if (!call.form.is_functional() || exponent.is_complex() || self.dtype() == Dtype::Bool ||
      (has_whole_elements && exponent.is_float())) {
    return std::nullopt;
  }
  const double power = exponent.to_double();
  if (power == 2) return call_mul(self, self);
  if (power == 1) return call_mul(self, Scalar(int64_t{1}));
  return std::nullopt;
}

void call_pow(const Call& call, const Tensor& base, const Tensor& exponent) {
  if (call.form.is_functional()) {
    call.give(0, kPow(base, exponent));
  } else if (call.form.is_out()) {
    kPowOut(base, exponent, Tensor::retain(call.written()));
  } else {
    kPowInto(base, exponent);
  }
}

}  // namespace

void pow_tensor_scalar(const Call& call) {
  const Tensor self = Tensor::retain(call.tensor(0));
  const auto exponent = call.get<Scalar>(1);
  const bool whole = !exponent.is_float() && !exponent.is_complex();
  if (is_bool_or_integral(self.dtype()) && whole && exponent.to_int() < 0) {
    fail_argument(call.op(), "exponent", "at least 0 where integers have an integer power",
                  exponent);
  }
  if (beyond(call.args[1], self.dtype()) != 0) {
    fail_argument(call.op(), "exponent", "representable in the dtype of self", exponent);
  }
  if (const std::optional<Tensor> product = product_for(call, self, exponent)) {
    return call.give(0, *product);
  }
  call_pow(call, self, number_tensor(exponent));
}

void pow_scalar(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, MemoryFormat)> contiguous("aten::contiguous");
  // A new result is row-major, whatever the exponent's layout.
  const auto exponent = Tensor::retain(call.tensor(1));
  call_pow(call, number_tensor(call.get<Scalar>(0)),
           call.form.is_functional() ? contiguous(exponent, MemoryFormat::Contiguous) : exponent);
}

}  // namespace tenon::kernels::ops
