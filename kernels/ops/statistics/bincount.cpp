// SPDX-License-Identifier: Apache-2.0
// Implements aten::bincount and aten::histc by calling other operators.
#include "kernels/ops/statistics/bincount.h"

#include <cmath>

#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Scalar(const Tensor&)> item_of("aten::item");
constinit const LazyOp<Tensor(const Tensor&)> smallest_of("aten::min");
constinit const LazyOp<Tensor(const Tensor&)> largest_of("aten::max");

// Returns the sums of `terms` for each position in `places`.
Tensor added_up(const Tensor& places, const Tensor& terms, int64_t count) {
  tenon_tensor* const list[] = {places.get()};
  const Tensor zeros = call_zeros(Dims{count}, options_like(kind_of(terms), {}));
  return call_index_put(zeros, TensorList(list, 1), terms, true);
}

}  // namespace

void bincount(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const auto weights = call.get<std::optional<Tensor>>(1);
  const auto least = call.get<int64_t>(2);
  if (least < 0) fail_argument(call.op(), "minlength", ">= 0", least);
  if (self.ndim() != 1) fail_argument(call.op(), "self", "a vector (1 dim)", self.sizes());
  if (!is_integral(self.dtype())) {
    fail_argument(call.op(), "self", "have an integer dtype", self.dtype());
  }
  if (weights && !std::ranges::equal(weights->sizes(), self.sizes())) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": weights must have the sizes of self, ",
                                        self.sizes(), ", got ", weights->sizes()});
  }
  if (!has_data(kind_of(self))) {
    fail_without_data(call.op(), "self must have data, on which the result's sizes depend",
                      self.info());
  }
  int64_t count = least;
  if (numel_of(self) != 0) {
    const Scalar lowest = item_of(smallest_of(self));
    if (lowest.to_int() < 0) fail_argument(call.op(), "self", "have integers >= 0", lowest);
    count =
        std::max(count, (CheckedSize(call.op(), item_of(largest_of(self)).to_int()) + 1).value());
  }
  FactoryOptions options = options_like(kind_of(self), {});
  options.dtype = Dtype::I64;
  if (numel_of(self) == 0) return call.give(0, call_zeros(Dims{count}, options));
  Tensor terms;
  if (weights) {
    const bool is_float = weights->dtype() == Dtype::F32 || weights->dtype() == Dtype::F64;
    terms = is_float ? *weights : cast(*weights, Dtype::F64);
  } else {
    terms = call_empty(Dims{numel_of(self)}, options);
    call_fill(terms, Scalar(1));
  }
  call.give(0, added_up(cast(self, Dtype::I64), terms, count));
}

void histc(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> add(
      "aten::add.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> times("aten::mul.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least("aten::ge.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_most("aten::le.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> both("aten::logical_and");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> bounded("aten::clamp_max");
  const Tensor self = *call.get<Tensor>(0);
  const auto bins = call.get<int64_t>(1);
  double low = call.get<Scalar>(2).to_double(), high = call.get<Scalar>(3).to_double();
  if (bins <= 0) fail_argument(call.op(), "bins", "above 0", bins);
  if (!has_data(kind_of(self))) {
    FactoryOptions options = options_like(kind_of(self), {});
    return call.give(0, call_empty(Dims{bins}, options));
  }
  if (is_bool_or_integral(self.dtype()) || is_complex(self.dtype())) {
    fail_dtype(call.op(), "self", self.dtype(), "floating");
  }
  if (low == high && numel_of(self) != 0) {
    low = item_of(smallest_of(self)).to_double();
    high = item_of(largest_of(self)).to_double();
  }
  if (low == high) {
    low -= 1;
    high += 1;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": min and max must be finite, got ", Scalar(low), " and ", Scalar(high)});
  }
  if (low > high) fail_argument(call.op(), "max", "at least min", Scalar(high));
  const Tensor flat = call_reshape(self, Dims{numel_of(self)});
  const Tensor inside = both(at_least(flat, Scalar(low)), at_most(flat, Scalar(high)));
  tenon_tensor* const list[] = {inside.get()};
  const Tensor kept = call_index(flat, TensorList(list, 1));
  const Tensor parts =
      times(add(kept, Scalar(-low), Scalar(1)), Scalar(static_cast<double>(bins) / (high - low)));
  Tensor ones = call_empty(Dims{numel_of(kept)}, options_like(kind_of(self), {}));
  call_fill(ones, Scalar(1));
  call.give(0, added_up(bounded(cast(parts, Dtype::I64), Scalar(bins - 1)), ones, bins));
}

}  // namespace tenon::kernels::ops
