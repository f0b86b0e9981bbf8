// SPDX-License-Identifier: Apache-2.0
// Implements aten::kthvalue, aten::median, aten::nanmedian and aten::mode by calling other
// operators.
#include "kernels/ops/statistics/order_statistics.h"

#include <limits>
#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

constinit const LazyOp<Tensor(const Tensor&, const Scalar&, const Scalar&)> lowered(
    "aten::sub.Scalar");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&, std::optional<std::string_view>)>
    divided("aten::div.Scalar_mode");
constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least("aten::clamp_min");

// Sorted lines along `dim`: the elements, and their original indices.
struct Lines {
  Tensor values;
  Tensor indices;
  int64_t dim;
  int64_t count;  // number of elements of a line
};

// Returns the lines of a tensor; a tensor without dims has one line of one element.
Lines lines_of(const Call& call, Tensor self, int64_t given, bool takes_none = false) {
  if (is_complex(self.dtype())) fail_dtype(call.op(), "self", self.dtype(), "real");
  const int64_t dim = wrap_dim(call.op(), given, self.ndim());
  if (self.ndim() == 0) self = call_unsqueeze(self, 0);
  if (self.size(dim) == 0 && !takes_none) {
    fail(TENON_ERROR_INDEX,
         {call.op(), ": self must have an element along dim ", dim, ", got sizes ", self.sizes()});
  }
  auto [values, indices] = call_sort(self, dim);
  return {std::move(values), std::move(indices), dim, self.size(dim)};
}

// Returns the elements at `places`, one of each line.
void give_places(const Call& call, const Lines& lines, const Tensor& places, bool keepdim) {
  Tensor values = call_gather(lines.values, lines.dim, places);
  Tensor indices = call_gather(lines.indices, lines.dim, places);
  if (call.get<Tensor>(0)->ndim() == 0 || !keepdim) {
    values = call_squeeze(values, lines.dim);
    indices = call_squeeze(indices, lines.dim);
  }
  call.give(0, std::move(values));
  call.give(1, std::move(indices));
}

// Returns the same position for all lines.
Tensor equal_places(const Lines& lines, int64_t place) {
  Dims sizes(lines.values.sizes());
  sizes[lines.dim] = 1;
  Tensor places = call_empty(sizes, {Dtype::I64, {}, lines.values.device(), {}});
  call_fill(places, Scalar(place));
  return places;
}

// Returns the positions of the middle elements. NaN is sorted last and may be left out of the
// count.
Tensor middle_places(const Lines& lines, bool without_nan) {
  if (is_bool_or_integral(lines.values.dtype())) return equal_places(lines, (lines.count - 1) / 2);
  const int64_t dims[] = {lines.dim};
  const Tensor nans = call_sum(call_isnan(lines.values), dims, true);
  const Tensor numbers = call_add(call_neg(nans), Scalar(lines.count));
  if (without_nan) {
    return at_least(divided(lowered(numbers, Scalar(1), Scalar(1)), Scalar(2), "floor"), Scalar(0));
  }
  return call_where(call_eq(nans, Scalar(0)), equal_places(lines, (lines.count - 1) / 2),
                    at_least(numbers, Scalar(0)));
}

void median_of_lines(const Call& call, bool without_nan) {
  const Lines lines = lines_of(call, *call.get<Tensor>(0), call.get<int64_t>(1));
  give_places(call, lines, middle_places(lines, without_nan), call.get<bool>(2));
}

Tensor median_of_all(const Call& call, bool without_nan) {
  const Tensor self = *call.get<Tensor>(0);
  const Lines lines = lines_of(call, call_reshape(self, Dims{numel_of(self)}), 0, true);
  if (lines.count > 0) {
    return call_squeeze(call_gather(lines.values, 0, middle_places(lines, without_nan)), 0);
  }
  Tensor none = call_empty({}, options_like(kind_of(self), {}));
  const bool is_whole = is_bool_or_integral(self.dtype());
  call_fill(none, is_whole ? Scalar(std::numeric_limits<int64_t>::min())
                           : Scalar(std::numeric_limits<double>::quiet_NaN()));
  return none;
}

}  // namespace

void kthvalue(const Call& call) {
  const auto k = call.get<int64_t>(1);
  const Lines lines = lines_of(call, *call.get<Tensor>(0), call.get<int64_t>(2));
  if (k < 1 || k > lines.count) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": k must be in [1, ", lines.count, "] for dim ", lines.dim, ", got ", k});
  }
  give_places(call, lines, equal_places(lines, k - 1), call.get<bool>(3));
}

void median_dim(const Call& call) { median_of_lines(call, false); }
void nanmedian_dim(const Call& call) { median_of_lines(call, true); }
void median(const Call& call) { call.give(0, median_of_all(call, false)); }
void nanmedian(const Call& call) { call.give(0, median_of_all(call, true)); }

// Finds the end of the first of the longest runs of equal elements in each sorted line.
void mode(const Call& call) {
  static constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, int64_t)> running_max(
      "aten::cummax");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<int64_t>, bool)> largest(
      "aten::argmax");
  const Lines lines = lines_of(call, *call.get<Tensor>(0), call.get<int64_t>(1));
  const int64_t rank = lines.values.ndim();
  Dims column = Dims::filled(rank, 1);
  column[lines.dim] = lines.count;
  const Tensor places = call_expand(call_reshape(call_arange(lines.count, lines.values), column),
                                    lines.values.sizes());
  const Tensor is_same = call_eq(call_slice(lines.values, lines.dim, 1, lines.count),
                                 call_slice(lines.values, lines.dim, 0, lines.count - 1));
  const Tensor later =
      call_masked_fill(call_slice(places, lines.dim, 1, lines.count), is_same, Scalar(0));
  const Tensor starts = call_cat({call_slice(places, lines.dim, 0, 1), later}, lines.dim);
  const Tensor lengths = call_sub(places, std::get<0>(running_max(starts, lines.dim)));
  give_places(call, lines, largest(lengths, lines.dim, true), call.get<bool>(2));
}

void value_selecting_tangent(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), indices = *call.get<Tensor>(2);
  const auto dim = call.get<int64_t>(1);
  if (self.ndim() == 0) return call.give(0, Tensor(self));
  if (call.get<bool>(3)) return call.give(0, call_gather(self, dim, indices));
  call.give(0, call_squeeze(call_gather(self, dim, call_unsqueeze(indices, dim)), dim));
}

}  // namespace tenon::kernels::ops
