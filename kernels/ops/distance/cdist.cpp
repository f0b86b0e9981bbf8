// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::cdist and aten::pdist, and their gradients.
#include "kernels/ops/distance/cdist.h"

#include <cmath>

#include "kernels/common/checked_size.h"
#include "kernels/common/overlap.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/factories/filled_like.h"

namespace tenon::kernels {
namespace {

double checked_power(const Call& call, int k) {
  const auto p = call.get<double>(k);
  if (!(p >= 0)) fail_argument(call.op(), "p", ">= 0", Scalar(p));
  return p;
}

void check_rows(const Call& call, const char* name, const tenon_tensor_info& rows) {
  check_defined(call.op(), name, rows);
  check_floating(call.op(), name, dtype_of_info(rows));
}

}  // namespace

DistancePlan cdist_plan(const Call& call) {
  const tenon_tensor_info x1 = call.get<Tensor>(0)->info(), x2 = call.get<Tensor>(1)->info();
  check_rows(call, "x1", x1);
  check_rows(call, "x2", x2);
  check_dtype_of(call.op(), "x2", dtype_of_info(x2), "x1", dtype_of_info(x1));
  if (x1.ndim < 2) fail_argument(call.op(), "x1", "have at least 2 dims", sizes_of(x1));
  if (x2.ndim < 2) fail_argument(call.op(), "x2", "have at least 2 dims", sizes_of(x2));
  if (x1.sizes[x1.ndim - 1] != x2.sizes[x2.ndim - 1]) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": x2 must have rows of ", x1.sizes[x1.ndim - 1],
                                        " elements like x1, got sizes ", sizes_of(x2)});
  }
  const auto mode = call.get<std::optional<int64_t>>(3);
  if (mode && (*mode < 0 || *mode > 2)) {
    fail_argument(call.op(), "compute_mode", "0, 1 or 2", *mode);
  }
  const double p = checked_power(call, 2);
  const auto batch_of = [](const tenon_tensor_info& info) {
    return sizes_of(info).first(static_cast<size_t>(info.ndim - 2));
  };
  const Dims batch = broadcast(call.op(), batch_of(x1), batch_of(x2));
  Dims sizes = batch;
  sizes.push_back(x1.sizes[x1.ndim - 2]);
  sizes.push_back(x2.sizes[x2.ndim - 2]);
  check_written_apart(call, x1);
  check_written_apart(call, x2);
  return {result_for(call, sizes, dtype_of_info(x1), Device(x1.device)), x1, x2, batch, p};
}

PairDistances pdist_plan(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_rows(call, "self", self);
  if (self.ndim != 2) fail_argument(call.op(), "self", "a matrix (2 dims)", sizes_of(self));
  const double p = checked_power(call, 1);
  check_written_apart(call, self);
  const int64_t rows = self.sizes[0];
  const Dims sizes{(CheckedSize(call.op(), rows) * (rows - 1)).value() / 2};
  return {result_for(call, sizes, dtype_of_info(self), Device(self.device)), self, p};
}

namespace ops {
namespace {

// Returns the derivative of distances by the elements of differences, times the gradient. Distance
// and gradient have a dim of size 1 for the elements. It is 0 for equal rows.
Tensor slopes(const Tensor& difference, const Tensor& grad, const Tensor& distance, double p) {
  static constinit const LazyOp<Tensor(const Tensor&)> sign("aten::sign");
  if (p == 0) return call_zeros_like(difference);
  const Tensor signs = sign(difference);
  if (p == 1) return call_mul(signs, grad);
  if (std::isinf(p)) {
    const Tensor is_less = call_ne(call_abs(difference), distance);
    return call_masked_fill(call_mul(signs, grad), is_less, Scalar(0));
  }
  const Tensor is_zero = call_eq(distance, Scalar(0));
  const Tensor share = call_div(grad, call_masked_fill(distance, is_zero, Scalar(1)));
  if (p == 2) return call_masked_fill(call_mul(difference, share), is_zero, Scalar(0));
  // (|difference| / distance)^(p - 1) for nonzero differences.
  const Tensor is_same = call_eq(difference, Scalar(0));
  const Tensor width = call_masked_fill(call_abs(difference), is_same, Scalar(1));
  const Tensor ratio = call_div(width, call_masked_fill(distance, is_zero, Scalar(1)));
  const Tensor slope = call_mul(call_mul(signs, call_pow(ratio, Scalar(p - 1))), grad);
  return call_masked_fill(slope, is_same, Scalar(0));
}

}  // namespace

void cdist_meta(const Call& call) {
  DistancePlan plan = cdist_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void cdist_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> summed("aten::sum_to_size");
  const Tensor x1 = *call.get<Tensor>(1), x2 = *call.get<Tensor>(2);
  const Tensor difference = call_sub(call_unsqueeze(x1, -2), call_unsqueeze(x2, -3));
  const Tensor each = slopes(difference, call_unsqueeze(*call.get<Tensor>(0), -1),
                             call_unsqueeze(*call.get<Tensor>(4), -1), checked_power(call, 3));
  call.give(0, summed(call_sum_of_dim(each, -2), x1.sizes()));
}

void cdist(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, double,
                                       std::optional<int64_t>)>
      forward("aten::_cdist_forward");
  call.give(0, forward(call.get<Tensor>(0), call.get<Tensor>(1), call.get<double>(2),
                       call.get<std::optional<int64_t>>(3)));
}

void pdist_meta(const Call& call) {
  PairDistances plan = pdist_plan(call);
  if (call.form.is_functional()) call.give(0, std::move(plan.result));
}

void pdist_backward(const Call& call) {
  using Triangle = Tensor(int64_t, int64_t, int64_t, std::optional<Dtype>, std::optional<Layout>,
                          std::optional<Device>, std::optional<bool>);
  static constinit const LazyOp<Triangle> triu_indices("aten::triu_indices");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&)> select(
      "aten::index_select");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&,
                                       const Scalar&)>
      add("aten::index_add");
  const Tensor self = *call.get<Tensor>(1);
  const int64_t rows = self.sizes()[0];
  const Tensor pairs = triu_indices(rows, rows, 1, Dtype::I64, std::nullopt,
                                    Device(kind_of(self).device), std::nullopt);
  const Tensor first = call_select(pairs, 0, 0), second = call_select(pairs, 0, 1);
  const Tensor difference = call_sub(select(self, 0, first), select(self, 0, second));
  const Tensor each = slopes(difference, call_unsqueeze(*call.get<Tensor>(0), 1),
                             call_unsqueeze(*call.get<Tensor>(3), 1), checked_power(call, 2));
  const Tensor zeros = call_zeros(self.sizes(), options_like(kind_of(self), {}));
  call.give(0, add(add(zeros, 0, first, each, Scalar(1)), 0, second, each, Scalar(-1)));
}

void pdist(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, double)> forward("aten::_pdist_forward");
  call.give(0, forward(call.get<Tensor>(0), call.get<double>(1)));
}

}  // namespace ops

}  // namespace tenon::kernels
