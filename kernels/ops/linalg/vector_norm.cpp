// SPDX-License-Identifier: Apache-2.0
// The gradient of aten::linalg_vector_norm, and the implementation of aten::norm and aten::dist.
#include "kernels/ops/linalg/vector_norm.h"

#include <cmath>

#include "kernels/common/call.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Scalar&, std::optional<Sizes>, bool,
                              std::optional<Dtype>)>
    norm_of("aten::linalg_vector_norm");

Scalar order_of(const Call& call) {
  return call.get<std::optional<Scalar>>(1).value_or(Scalar(2.0));
}

}  // namespace

// Computes grad * |x|^(ord - 1) * sign(x) / norm^(ord - 1). For the largest or smallest element,
// all that equal it share the gradient. If the norm is zero, so is the gradient.
void vector_norm_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&)> sign("aten::sgn");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> either("aten::logical_or"),
      both("aten::logical_and");
  Tensor grad = *call.get<Tensor>(0), norm = *call.get<Tensor>(3);
  const Tensor self = *call.get<Tensor>(1);
  const double ord = call.get<Scalar>(2).to_double();
  const auto given = call.get<std::optional<Sizes>>(4);
  Dims dims;
  if (given) {
    for (const int64_t dim : *given) dims.push_back(wrap_dim(call.op(), dim, self.ndim()));
  }
  if (dims.empty()) {
    for (int64_t dim = 0; dim < self.ndim(); ++dim) dims.push_back(dim);
  }
  if (self.ndim() > 0 && !call.get<bool>(5)) {
    Dims sizes(self.sizes());
    for (const int64_t dim : dims) sizes[dim] = 1;
    grad = call_reshape(grad, sizes);
    norm = call_reshape(norm, sizes);
  }
  if (ord == 0) return call.give(0, call_mul(self, Scalar(0)));
  if (ord == 1) return call.give(0, call_mul(sign(self), grad));
  const Tensor is_zero = call_eq(norm, Scalar(0));
  if (ord == 2) {
    return call.give(0, call_mul(self, call_masked_fill(call_div(grad, norm), is_zero, Scalar(0))));
  }
  const Tensor size = call_abs(self);
  if (std::isinf(ord)) {
    const Tensor is_one = either(call_eq(size, norm), both(call_isnan(size), call_isnan(norm)));
    const Tensor count = call_sum(is_one, dims, true);
    const Tensor share = call_masked_fill(call_div(call_mul(sign(self), grad), count),
                                          call_logical_not(is_one), Scalar(0));
    return call.give(0, share);
  }
  Tensor scaled = call_mul(sign(self), call_pow(size, Scalar(ord - 1)));
  // A negative power of 0 is replaced by a gradient of 0.
  if (ord < 1) scaled = call_masked_fill(scaled, call_eq(size, Scalar(0)), Scalar(0));
  call.give(0, call_mul(scaled, call_masked_fill(call_div(grad, call_pow(norm, Scalar(ord - 1))),
                                                 is_zero, Scalar(0))));
}

void norm_all(const Call& call) {
  call.give(0,
            norm_of(*call.get<Tensor>(0), call.get<Scalar>(1), std::nullopt, false, std::nullopt));
}
void norm_all_dtype(const Call& call) {
  call.give(0,
            norm_of(*call.get<Tensor>(0), order_of(call), std::nullopt, false, call.get<Dtype>(2)));
}
void norm_dim(const Call& call) {
  call.give(0, norm_of(*call.get<Tensor>(0), order_of(call), call.get<Sizes>(2), call.get<bool>(3),
                       std::nullopt));
}
void norm_dim_dtype(const Call& call) {
  call.give(0, norm_of(*call.get<Tensor>(0), order_of(call), call.get<Sizes>(2), call.get<bool>(3),
                       call.get<Dtype>(4)));
}

void dist(const Call& call) {
  const Tensor apart = call_sub(*call.get<Tensor>(0), *call.get<Tensor>(1));
  call.give(0, norm_of(apart, call.get<Scalar>(2), std::nullopt, false, std::nullopt));
}

}  // namespace tenon::kernels::ops
