// SPDX-License-Identifier: Apache-2.0
// Implements aten::nansum and aten::nanmean by calling other operators.
#include "kernels/ops/reductions/nansum.h"

#include "kernels/common/cast_out.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

Dims given_dims_of(const Call& call) {
  const auto dims = call.get<std::optional<Sizes>>(1);
  return dims ? Dims(*dims) : Dims();
}

Tensor without_nan(const Tensor& self) {
  return is_bool_or_integral(self.dtype()) ? self
                                           : call_masked_fill(self, call_isnan(self), Scalar(0));
}

}  // namespace

void nansum(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  if (is_complex(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "real");
  give_or_cast(call, call_sum(without_nan(self), given_dims_of(call), call.get<bool>(2),
                              call.get<std::optional<Dtype>>(3)));
}

void nanmean(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  check_inexact(call.op(), "self", self.dtype());
  const Dims dims = given_dims_of(call);
  const auto keepdim = call.get<bool>(2);
  const Tensor sum = call_sum(without_nan(self), dims, keepdim, call.get<std::optional<Dtype>>(3));
  call.give(0, call_div(sum, call_sum(call_logical_not(call_isnan(self)), dims, keepdim)));
}

}  // namespace tenon::kernels::ops
