// SPDX-License-Identifier: Apache-2.0
// Implements aten::diff, aten::trapezoid and aten::cumulative_trapezoid by calling other operators.
#include "kernels/ops/cumulative/diff.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {
namespace {

// Both elements of each adjacent pair along a dim.
struct Neighbours {
  Tensor first;
  Tensor second;
};
Neighbours neighbours_of(const Tensor& self, int64_t dim) {
  const SymbolicSize count = word_along(self, dim);
  const SymbolicSize one_less = count < 1 ? SymbolicSize(0) : count - SymbolicSize(1);
  return {call_slice(self, dim, SymbolicSize(0), one_less),
          call_slice(self, dim, SymbolicSize(1), count)};
}

// Returns twice the area below each adjacent pair: the sum times the distance.
Tensor double_areas(const Call& call, const Tensor& y, int64_t dim, bool has_x) {
  const auto [first, second] = neighbours_of(y, dim);
  const Tensor sums = call_add(first, second);
  if (!has_x) return sums;
  Tensor x = *call.get<Tensor>(1);
  const int64_t x_dim = x.ndim() == 1 ? 0 : wrap_dim(call.op(), call.get<int64_t>(2), x.ndim());
  if (x.ndim() == 0 || !(word_along(x, x_dim) == word_along(y, dim))) {
    if (!(x.ndim() > 0 && word_along(x, x_dim) == 1)) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": x must have as many elements as y along dim ", dim, ", ",
            text_of(word_along(y, dim)), ", got sizes ", text_of(words_of(x))});
    }
  }
  const auto [left, right] = neighbours_of(x, x_dim);
  Tensor apart = call_sub(right, left);
  if (x.ndim() == 1) {
    SymbolicDims sizes = SymbolicDims::filled(y.ndim(), 1);
    sizes[dim] = numel_word(apart);
    apart = call_reshape(apart, sizes);
  }
  return call_mul(sums, apart);
}

void integrate(const Call& call, bool has_x, bool is_cumulative) {
  const Tensor y = *call.get<Tensor>(0);
  if (y.ndim() == 0) fail_argument(call.op(), "y", "have at least 1 dim", y.sizes());
  if (y.dtype() == Dtype::Bool) fail_dtype(call.op(), "y", y.dtype(), "numeric");
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), y.ndim());
  Tensor areas;
  if (word_along(y, dim) == 0) {
    Dims sizes(y.sizes());
    sizes.erase(dim);
    return call.give(
        0, call_zeros(is_cumulative ? Dims(y.sizes()) : sizes, options_like(kind_of(y), {})));
  }
  areas = double_areas(call, y, dim, has_x);
  const int64_t dims[] = {dim};
  areas = is_cumulative ? call_cumsum(areas, dim) : call_sum(areas, dims);
  if (!has_x) {
    const Scalar dx =
        call.args[1].tag == TENON_TAG_FLOAT ? Scalar(call.get<double>(1)) : call.get<Scalar>(1);
    areas = call_mul(areas, dx);
  }
  call.give(0, call_div(areas, Scalar(2.0)));
}

}  // namespace

void diff(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> differ("aten::logical_xor");
  Tensor self = *call.get<Tensor>(0);
  const auto times = call.get<int64_t>(1);
  if (self.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", self.sizes());
  if (times < 0) fail_argument(call.op(), "n", "at least 0", times);
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim());
  const auto before = call.get<std::optional<Tensor>>(3),
             after = call.get<std::optional<Tensor>>(4);
  if (times == 0) return call.give(0, call_clone(self, MemoryFormat::Preserve));
  if (before || after) {
    std::vector<Tensor> parts;
    if (before) parts.push_back(*before);
    parts.push_back(self);
    if (after) parts.push_back(*after);
    self = call_cat(parts, dim);
  }
  for (int64_t k = 0; k < times && (k == 0 || word_along(self, dim) > 0); ++k) {
    const auto [first, second] = neighbours_of(self, dim);
    self = self.dtype() == Dtype::Bool ? differ(second, first) : call_sub(second, first);
  }
  call.give(0, std::move(self));
}

void trapezoid_x(const Call& call) { integrate(call, true, false); }
void trapezoid_dx(const Call& call) { integrate(call, false, false); }
void cumulative_trapezoid_x(const Call& call) { integrate(call, true, true); }
void cumulative_trapezoid_dx(const Call& call) { integrate(call, false, true); }

}  // namespace tenon::kernels::ops
