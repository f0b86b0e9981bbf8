// SPDX-License-Identifier: Apache-2.0
// Implements aten::logsumexp by calling other operators.
#include "kernels/ops/reductions/logsumexp.h"

#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

void logsumexp(const Call& call) {
  using OfDims = Tensor(const Tensor&, Sizes, bool);
  static constinit const LazyOp<Tensor(const Tensor&)> exponential("aten::exp");
  static constinit const LazyOp<Tensor(const Tensor&)> logarithm("aten::log");
  static constinit const LazyOp<Tensor(const Tensor&)> detach("aten::detach");
  static constinit const LazyOp<Tensor(const Tensor&)> real("aten::real");
  static constinit const LazyOp<Tensor(const Tensor&)> is_infinite("aten::isinf");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> hidden(
      "aten::masked_fill.Scalar");
  static constinit const LazyOp<OfDims> largest("aten::amax");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      sum("aten::sum.dim_IntList");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add.Tensor");
  Tensor self = *call.get<Tensor>(0);
  const auto dims = call.get<Sizes>(1);
  const auto keepdim = call.get<bool>(2);
  if (is_bool_or_integral(self.dtype())) self = cast(self, default_dtype());
  if (numel_word(self) == 0) {
    return give_or_cast(call, logarithm(sum(exponential(self), dims, keepdim, std::nullopt)));
  }
  // No exponential is then larger than 1. Infinities are not subtracted.
  const Tensor size = is_complex(self.dtype()) ? real(detach(self)) : detach(self);
  Tensor most = largest(size, dims, true);
  most = hidden(most, is_infinite(most), Scalar(0));
  const Tensor total =
      logarithm(sum(exponential(add(self, most, Scalar(-1))), dims, keepdim, std::nullopt));
  if (!keepdim) most = call_reshape(most, words_of(total));
  give_or_cast(call, add(total, most, Scalar(1)));
}

}  // namespace tenon::kernels::ops
