// SPDX-License-Identifier: Apache-2.0
// Implements aten::cov and aten::corrcoef by calling other operators.
#include "kernels/ops/statistics/cov.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

void check_weights(const Call& call, const char* name, const Tensor& weights, int64_t count,
                   bool wants_whole) {
  if (weights.ndim() > 1) fail_argument(call.op(), name, "a vector (1 dim)", weights.sizes());
  if (wants_whole ? !is_integral(weights.dtype())
                  : (is_complex(weights.dtype()) || is_bool_or_integral(weights.dtype()))) {
    fail_dtype(call.op(), name, weights.dtype(), wants_whole ? "integral" : "floating");
  }
  if (numel_of(weights) != count)
    fail_argument(call.op(), name, "have one weight for each observation", weights.sizes());
}

}  // namespace

void cov(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Scalar>, std::optional<Scalar>)>
      bounded("aten::clamp");
  Tensor self = *call.get<Tensor>(0);
  if (self.ndim() > 2) fail_argument(call.op(), "self", "a matrix or a vector", self.sizes());
  if (self.dtype() == Dtype::Bool) fail_dtype(call.op(), "self", self.dtype(), "numeric");
  if (self.ndim() < 2) self = call_reshape(self, Dims{1, numel_of(self)});
  const int64_t count = self.size(1);
  const auto correction = call.get<int64_t>(1);
  const auto often = call.get<std::optional<Tensor>>(2),
             important = call.get<std::optional<Tensor>>(3);
  std::optional<Tensor> weights;
  if (often) {
    check_weights(call, "fweights", *often, count, true);
    weights = *often;
  }
  if (important) {
    check_weights(call, "aweights", *important, count, false);
    weights = weights ? call_mul(*weights, *important) : *important;
  }
  const int64_t observations[] = {1};
  Tensor norm, mean;
  if (is_bool_or_integral(self.dtype())) self = cast(self, default_dtype());
  if (!weights) {
    mean = call_div(call_sum(self, observations, true), Scalar(count));
    norm = call_empty({}, options_like(kind_of(self), {to_real(self.dtype()), {}, {}, {}}));
    call_fill(norm, Scalar(static_cast<double>(count) - static_cast<double>(correction)));
  } else {
    const Tensor total = call_sum(*weights, {});
    mean = call_div(call_sum(call_mul(self, *weights), observations, true), total);
    const Tensor share = important && correction != 0
                             ? call_div(call_sum(call_mul(*weights, *important), {}), total)
                             : cast(number_tensor(Scalar(1.0)), to_real(self.dtype()));
    norm = call_sub(total, call_mul(share, Scalar(correction)));
  }
  norm = bounded(norm, Scalar(0), std::nullopt);
  self = call_sub(self, mean);
  const Tensor turned = call_transpose(weights ? call_mul(self, *weights) : self, 0, 1);
  const Tensor products = call_mm(self, is_complex(self.dtype()) ? call_conj(turned) : turned);
  Tensor result = call_div(products, norm);
  if (result.size(0) == 1) result = call_reshape(result, Dims{});
  call.give(0, std::move(result));
}

void corrcoef(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const std::optional<Tensor>&,
                                       const std::optional<Tensor>&)>
      covariances("aten::cov");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Scalar>, std::optional<Scalar>)>
      bounded("aten::clamp");
  const Tensor self = *call.get<Tensor>(0);
  if (self.ndim() > 2) fail_argument(call.op(), "self", "a matrix or a vector", self.sizes());
  const Tensor c = covariances(self, 1, std::nullopt, std::nullopt);
  if (c.ndim() == 0) return call.give(0, call_div(c, c));
  Tensor variances = call_diagonal(c, 0, 0, 1);
  if (is_complex(c.dtype())) variances = call_real(variances);
  const Tensor deviations = call_sqrt(variances);
  const Tensor units =
      call_div(call_div(c, call_unsqueeze(deviations, 1)), call_unsqueeze(deviations, 0));
  if (!is_complex(c.dtype())) return call.give(0, bounded(units, Scalar(-1), Scalar(1)));
  static constinit const LazyOp<Tensor(const Tensor&)> imaginary("aten::imag"),
      pairs("aten::view_as_complex");
  const Tensor parts = call_stack({bounded(call_real(units), Scalar(-1), Scalar(1)),
                                   bounded(imaginary(units), Scalar(-1), Scalar(1))},
                                  -1);
  call.give(0, pairs(parts));
}

}  // namespace tenon::kernels::ops
