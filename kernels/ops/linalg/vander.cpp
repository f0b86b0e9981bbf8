// SPDX-License-Identifier: Apache-2.0
// Implements aten::vander and aten::linalg_vander by calling other operators.
#include "kernels/ops/linalg/vander.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Returns powers with exponents from 0 to `count` - 1 along a new last dim.
Tensor powers_of(const Tensor& self, int64_t count) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> products(
      "aten::cumprod");
  Dims sizes(self.sizes());
  sizes.push_back(std::max<int64_t>(count - 1, 0));
  const Tensor repeated = call_expand(call_unsqueeze(self, -1), sizes);
  sizes[sizes.size() - 1] = std::min<int64_t>(count, 1);
  Tensor ones = call_empty(sizes, options_like(kind_of(repeated), {}));
  call_fill(ones, Scalar(1));
  return call_cat({ones, products(repeated, -1, repeated.dtype())}, -1);
}

}  // namespace

void linalg_vander(const Call& call) {
  Tensor self = *call.get<Tensor>(0);
  const auto given = call.get<std::optional<int64_t>>(1);
  if (self.ndim() == 0) {
    if (!given) {
      fail_argument(call.op(), "x", "have at least 1 dim where N is not given", self.sizes());
    }
    self = call_unsqueeze(self, 0);
  }
  const int64_t count = given ? *given : self.size(-1);
  if (count < 2) fail_argument(call.op(), "N", "greater than 1", count);
  call.give(0, powers_of(is_bool_or_integral(self.dtype()) ? cast(self, Dtype::I64) : self, count));
}

void vander(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> flip("aten::flip");
  Tensor self = *call.get<Tensor>(0);
  if (self.ndim() != 1) fail_argument(call.op(), "x", "a vector (1 dim)", self.sizes());
  const int64_t count = call.get<std::optional<int64_t>>(1).value_or(self.size(0));
  if (count < 0) fail_argument(call.op(), "N", "at least 0", count);
  if (is_bool_or_integral(self.dtype())) self = cast(self, Dtype::I64);
  const int64_t last[] = {1};
  const Tensor powers = powers_of(self, count);
  call.give(0, call.get<bool>(2) ? powers : flip(powers, last));
}

}  // namespace tenon::kernels::ops
