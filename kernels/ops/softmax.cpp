// SPDX-License-Identifier: Apache-2.0
// What aten::softmax and aten::log_softmax call.
#include "kernels/ops/softmax.h"

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

using Unary = LazyOp<Tensor(const Tensor&)>;
using Binary = LazyOp<Tensor(const Tensor&, const Tensor&)>;

constinit const Unary exponential("aten::exp");
constinit const Unary logarithm("aten::log");
constinit const Unary without_history("aten::detach");
constinit const Binary quotient("aten::div.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> difference(
    "aten::sub.Tensor");
constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> largest("aten::amax");
constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool, std::optional<Dtype>)>
    total("aten::sum.dim_IntList");

// The input, of which no exponential is larger than 1, in a dtype that keeps digits.
struct Shifted {
  Tensor values;
  Dtype dtype;  // of the result
  int64_t dim[1];

  explicit Shifted(const Call& call) {
    const Tensor self = *call.get<Tensor>(0);
    dim[0] = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim());
    dtype = call.get<std::optional<Dtype>>(2).value_or(self.dtype());
    const bool is_small = dtype == Dtype::F16 || dtype == Dtype::BF16;
    if (!is_small && dtype != Dtype::F32 && dtype != Dtype::F64) {
      fail_dtype(call.op(), "self", dtype, "floating, or dtype= such");
    }
    const Dtype wide = is_small ? Dtype::F32 : dtype;
    values = self.dtype() == wide ? self : cast(self, wide);
    if (values.numel() == 0) return;
    values = difference(values, largest(without_history(values), dim, true), Scalar(1));
  }

  Tensor as_asked(const Tensor& result) const {
    return result.dtype() == dtype ? result : cast(result, dtype);
  }
  Tensor sum(const Tensor& terms) const { return total(terms, Sizes(dim), true, std::nullopt); }
};

}  // namespace

void softmax(const Call& call) {
  const Shifted shifted(call);
  const Tensor powers = exponential(shifted.values);
  call.give(0, shifted.as_asked(quotient(powers, shifted.sum(powers))));
}

void log_softmax(const Call& call) {
  const Shifted shifted(call);
  const Tensor sum = logarithm(shifted.sum(exponential(shifted.values)));
  call.give(0, shifted.as_asked(difference(shifted.values, sum, Scalar(1))));
}

}  // namespace tenon::kernels::ops
