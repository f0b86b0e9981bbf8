// SPDX-License-Identifier: Apache-2.0
// Implements aten::isclose and aten::allclose by calling other operators.
#include "kernels/ops/logic/isclose.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&)> is_finite("aten::isfinite");
constinit const LazyOp<Tensor(const Tensor&)> is_nan("aten::isnan");
constinit const LazyOp<Tensor(const Tensor&)> absolute("aten::abs");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> both("aten::logical_and");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> either("aten::logical_or");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> equals("aten::eq.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> at_most("aten::le.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> subtract(
    "aten::sub.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scale("aten::mul.Scalar");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> shift(
    "aten::add.Scalar");

void check_tolerance(const char* op, const char* name, double tolerance) {
  if (!(tolerance >= 0)) fail_argument(op, name, "at least 0", Scalar(tolerance));
}

Tensor close(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const Tensor other = *call.get<Tensor>(1);
  const auto rtol = call.get<double>(2);
  const auto atol = call.get<double>(3);
  if (self.dtype() != other.dtype()) {
    fail_argument(call.op(), "other", std::string("have dtype ") + name_of(self.dtype()),
                  other.dtype());
  }
  check_tolerance(call.op(), "rtol", rtol);
  check_tolerance(call.op(), "atol", atol);
  const bool is_inexact = !is_bool_or_integral(self.dtype());
  Tensor same = equals(self, other);
  if (call.get<bool>(4) && is_inexact) same = either(same, both(is_nan(self), is_nan(other)));
  if (rtol == 0 && atol == 0) return same;
  // Integers are compared as floats, because differences of unsigned ones would wrap.
  const auto inexact = [&](const Tensor& tensor) {
    return is_inexact ? tensor : cast(tensor, default_dtype());
  };
  const Tensor wide = inexact(other);
  const Tensor apart = absolute(subtract(inexact(self), wide, Scalar(1)));
  const Tensor allowed = shift(absolute(scale(wide, Scalar(rtol))), Scalar(atol), Scalar(1));
  // Infinity is close only to itself.
  return either(same, both(is_finite(apart), at_most(apart, allowed)));
}

}  // namespace

void isclose(const Call& call) { call.give(0, close(call)); }

void allclose(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> all("aten::all");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  call.results[0] = tenon_value_of_bool(is_known_true(item(all(close(call)))));
}

}  // namespace tenon::kernels::ops
