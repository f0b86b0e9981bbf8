// SPDX-License-Identifier: Apache-2.0
// Implements aten::quantile and aten::nanquantile by calling other operators.
#include "kernels/ops/statistics/quantile.h"

#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

enum class Between { Linear, Lower, Higher, Midpoint, Nearest };

Between between_of(const Call& call) {
  const auto word = call.get<std::string_view>(4);
  constexpr std::string_view kWords[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  for (size_t k = 0; k < std::size(kWords); ++k) {
    if (word == kWords[k]) return static_cast<Between>(k);
  }
  fail_argument(call.op(), "interpolation",
                "\"linear\", \"lower\", \"higher\", \"midpoint\" or \"nearest\"",
                std::string(word));
}

// Returns the positions of quantiles in sorted lines, in which NaN is last. In a line with a NaN
// that counts, it is the position of that NaN.
Tensor ranks_of(const Tensor& sorted, const Tensor& q, bool without_nan) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, bool)> any("aten::any.dim");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least("aten::clamp_min");
  const int64_t last = sorted.size(-1) - 1;
  const Tensor is_nan = call_isnan(sorted);
  if (!without_nan) {
    const Tensor ranks = call_mul(q, Scalar(last));
    Dims sizes(sorted.sizes());
    sizes[sizes.size() - 1] = numel_of(q);
    return call_masked_fill(call_expand(ranks, sizes), any(is_nan, -1, true), Scalar(last));
  }
  const int64_t dims[] = {-1};
  const Tensor numbers = cast(call_sum(call_logical_not(is_nan), dims, true), sorted.dtype());
  return at_least(call_mul(call_add(numbers, Scalar(-1)), q), Scalar(0));
}

void give_quantile(const Call& call, const Tensor& q, bool without_nan) {
  static constinit const LazyOp<Tensor(const Tensor&)> floor("aten::floor"), ceil("aten::ceil"),
      round("aten::round");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> lerp(
      "aten::lerp.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> halfway(
      "aten::lerp.Scalar");
  const Tensor self = *call.get<Tensor>(0);
  if (self.dtype() != Dtype::F32 && self.dtype() != Dtype::F64)
    fail_dtype(call.op(), "self", self.dtype(), "float32, float64");
  check_dtype_of(call.op(), "q", q.dtype(), "self", self.dtype());
  if (q.ndim() > 1) fail_argument(call.op(), "q", "a number or a vector (1 dim)", q.sizes());
  if (numel_of(self) == 0)
    fail_argument(call.op(), "self", "have at least 1 element", self.sizes());
  const auto given = call.get<std::optional<int64_t>>(2);
  const auto keepdim = call.get<bool>(3);
  const Between between = between_of(call);
  const int64_t dim = given ? wrap_dim(call.op(), *given, self.ndim()) : 0;
  Dims result = q.ndim() == 0 ? Dims() : Dims{numel_of(q)};
  for (int64_t d = 0; d < self.ndim(); ++d) {
    if (given && d != dim) result.push_back(self.size(d));
    if (keepdim && !(given && d != dim)) result.push_back(1);
  }
  Tensor lines = !given || self.ndim() == 0 ? call_reshape(self, Dims{numel_of(self)})
                                            : call_movedim(self, dim, -1);
  const Tensor sorted = std::get<0>(call_sort(lines, -1));
  Tensor ranks = ranks_of(sorted, call_reshape(q, Dims{numel_of(q)}), without_nan);
  if (between == Between::Lower) ranks = floor(ranks);
  if (between == Between::Higher) ranks = ceil(ranks);
  if (between == Between::Nearest) ranks = round(ranks);
  const Tensor below = cast(ranks, Dtype::I64);
  Tensor values = call_gather(sorted, -1, below);
  if (between == Between::Linear || between == Between::Midpoint) {
    const Tensor above = call_gather(sorted, -1, cast(ceil(ranks), Dtype::I64));
    values = between == Between::Midpoint
                 ? halfway(values, above, Scalar(0.5))
                 : lerp(values, above, call_sub(ranks, cast(below, ranks.dtype())));
  }
  call.give(0, call_reshape(call_movedim(values, -1, 0), result));
}

void quantile_of(const Call& call, bool without_nan) {
  const Tensor q = *call.get<Tensor>(1);
  if (q.is_cpu() && !q.is_fake()) {
    static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least("aten::ge.Scalar"),
        at_most("aten::le.Scalar");
    static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> both("aten::logical_and");
    static constinit const LazyOp<Tensor(const Tensor&)> all("aten::all");
    static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
    if (!item(all(both(at_least(q, Scalar(0)), at_most(q, Scalar(1))))).to_bool()) {
      fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": q must be in [0, 1], got other elements"});
    }
  }
  give_quantile(call, q, without_nan);
}

void quantile_of_number(const Call& call, bool without_nan) {
  const Tensor self = *call.get<Tensor>(0);
  const auto share = call.get<double>(1);
  if (!(share >= 0 && share <= 1)) fail_argument(call.op(), "q", "in [0, 1]", Scalar(share));
  Tensor q = call_empty({}, options_like(kind_of(self), {}));
  call_fill(q, Scalar(share));
  give_quantile(call, q, without_nan);
}

}  // namespace

void quantile(const Call& call) { quantile_of(call, false); }
void nanquantile(const Call& call) { quantile_of(call, true); }
void quantile_scalar(const Call& call) { quantile_of_number(call, false); }
void nanquantile_scalar(const Call& call) { quantile_of_number(call, true); }

}  // namespace tenon::kernels::ops
