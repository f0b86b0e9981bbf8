// SPDX-License-Identifier: Apache-2.0
// Implements aten::linalg_cross and aten::cross by calling other operators.
#include "kernels/ops/linalg/cross.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

// Computes the product from both vectors rotated by one element, (1, 2, 0), and by two, (2, 0, 1).
Tensor cross_product(const Call& call, const Tensor& self, const Tensor& other, const Dims& sizes,
                     int64_t dim) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, Sizes)> roll("aten::roll");
  check_dtype_of(call.op(), "other", other.dtype(), "self", self.dtype());
  const Tensor a = call_expand(self, sizes), b = call_expand(other, sizes);
  const int64_t back[] = {-1}, on[] = {1}, dims[] = {dim};
  return call_sub(call_mul(roll(a, back, dims), roll(b, on, dims)),
                  call_mul(roll(a, on, dims), roll(b, back, dims)));
}

}  // namespace

void linalg_cross(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), other = *call.get<Tensor>(1);
  if (self.ndim() != other.ndim()) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": other must have as many dims as self, ",
                                        self.ndim(), ", got ", other.ndim()});
  }
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
  const Dims sizes = broadcast(call.op(), self.sizes(), other.sizes());
  if (self.ndim() == 0 || self.size(dim) != 3 || other.size(dim) != 3) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": self and other must have 3 elements along dim ", dim, ", got sizes ",
          self.sizes(), " and ", other.sizes()});
  }
  call.give(0, cross_product(call, self, other, sizes, dim));
}

void cross(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, int64_t)> along(
      "aten::linalg_cross");
  const Tensor self = *call.get<Tensor>(0);
  auto dim = call.get<std::optional<int64_t>>(2);
  for (int64_t k = 0; !dim && k < self.ndim(); ++k) {
    if (self.size(k) == 3) dim = k;
  }
  if (!dim) fail_argument(call.op(), "self", "have 3 elements along a dim", self.sizes());
  call.give(0, along(self, *call.get<Tensor>(1), *dim));
}

}  // namespace tenon::kernels::ops
