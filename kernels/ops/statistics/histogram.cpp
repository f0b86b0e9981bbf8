// SPDX-License-Identifier: Apache-2.0
// Implements aten::histogram by calling other operators.
#include "kernels/ops/statistics/histogram.h"

#include <cmath>
#include <string_view>

#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

Tensor counts_between(const Call& call, const Tensor& self, const Tensor& edges,
                      const std::optional<Tensor>& weight, bool density) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool, bool,
                                       std::optional<std::string_view>,
                                       const std::optional<Tensor>&)>
      places_of("aten::searchsorted.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&,
                                       const Scalar&)>
      add_at("aten::index_add");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> at_least("aten::ge.Tensor"),
      at_most("aten::le.Tensor"), both("aten::logical_and");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Scalar>, std::optional<Scalar>)>
      bounded("aten::clamp");
  const int64_t bins = edges.size(0) - 1;
  const Tensor flat = call_reshape(self, Dims{numel_of(self)});
  const Tensor low = call_select(edges, 0, 0), high = call_select(edges, 0, bins);
  const Tensor is_inside = both(at_least(flat, low), at_most(flat, high));
  const Tensor places =
      bounded(call_add(places_of(edges, flat, false, true, std::nullopt, std::nullopt), Scalar(-1)),
              Scalar(0), Scalar(bins - 1));
  Tensor weights;
  if (weight) {
    if (!(weight->sizes() == self.sizes()))
      fail_argument(call.op(), "weight", "have the sizes of self", weight->sizes());
    check_dtype_of(call.op(), "weight", weight->dtype(), "self", self.dtype());
    weights = call_reshape(*weight, Dims{numel_of(self)});
  } else {
    weights = call_empty(Dims{numel_of(self)}, options_like(kind_of(self), {}));
    call_fill(weights, Scalar(1));
  }
  weights = call_masked_fill(weights, call_logical_not(is_inside), Scalar(0));
  Tensor counts = add_at(call_zeros(Dims{bins}, options_like(kind_of(self), {})), 0, places,
                         weights, Scalar(1));
  if (!density) return counts;
  const Tensor widths = call_sub(call_slice(edges, 0, 1, bins + 1), call_slice(edges, 0, 0, bins));
  return call_div(call_div(counts, call_sum(counts, {})), widths);
}

void check_histogram(const Call& call, const Tensor& self) {
  if (!has(dtypes(TENON_DTYPE_F32, TENON_DTYPE_F64), static_cast<tenon_dtype>(self.dtype()))) {
    fail_dtype(call.op(), "self", self.dtype(), "float32, float64");
  }
}

}  // namespace

void histogram_edges(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), edges = *call.get<Tensor>(1);
  check_histogram(call, self);
  if (edges.ndim() != 1 || edges.size(0) < 2)
    fail_argument(call.op(), "bins", "a vector of at least two edges", edges.sizes());
  check_dtype_of(call.op(), "bins", edges.dtype(), "self", self.dtype());
  call.give(
      0, counts_between(call, self, edges, call.get<std::optional<Tensor>>(2), call.get<bool>(3)));
  call.give(1, call_clone(edges, MemoryFormat::Contiguous));
}

void histogram_count(const Call& call) {
  static constinit const LazyOp<Tensor(const Scalar&, const Scalar&, int64_t, std::optional<Dtype>,
                                       std::optional<Layout>, std::optional<Device>,
                                       std::optional<bool>)>
      linspace("aten::linspace");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  const Tensor self = *call.get<Tensor>(0);
  check_histogram(call, self);
  const auto bins = call.get<int64_t>(1);
  if (bins < 1) fail_argument(call.op(), "bins", "at least 1", bins);
  double low = 0, high = 1;
  if (const auto range = call.get<std::optional<std::span<const double>>>(2)) {
    if (range->size() != 2)
      fail_argument(call.op(), "range", "have two numbers", static_cast<int64_t>(range->size()));
    low = (*range)[0];
    high = (*range)[1];
  } else if (numel_of(self) > 0) {
    low = item(call_amin(self, {}, false)).to_double();
    high = item(call_amax(self, {}, false)).to_double();
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": range must be finite, got ", Scalar(low), " and ", Scalar(high)});
  }
  if (low > high)
    fail_argument(call.op(), "range", "have a second number that is not below the first",
                  Scalar(high));
  if (low == high) {
    low -= 0.5;
    high += 0.5;
  }
  const int64_t edge_count = (CheckedSize(call.op(), bins) + 1).value();
  const Tensor edges = linspace(Scalar(low), Scalar(high), edge_count, self.dtype(), std::nullopt,
                                self.device(), std::nullopt);
  call.give(
      0, counts_between(call, self, edges, call.get<std::optional<Tensor>>(3), call.get<bool>(4)));
  call.give(1, Tensor(edges));
}

}  // namespace tenon::kernels::ops
