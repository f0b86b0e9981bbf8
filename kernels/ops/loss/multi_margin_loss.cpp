// SPDX-License-Identifier: Apache-2.0
// Implements aten::multi_margin_loss and aten::multilabel_margin_loss by calling other operators.
#include "kernels/ops/loss/multi_margin_loss.h"

#include "kernels/common/promotion.h"
#include "kernels/ops/factories/filled_like.h"
#include "kernels/ops/loss/loss_reduction.h"

namespace tenon::kernels::ops {
namespace {

// Uses relu, whose gradient at 0 is 0, as that of PyTorch's losses.
Tensor above_zero(const Tensor& numbers) {
  static constinit const LazyOp<Tensor(const Tensor&)> relu("aten::relu");
  return relu(numbers);
}

void check_margin_inputs(const Call& call, const Tensor& self, const Tensor& target) {
  check_inexact(call.op(), "self", self.dtype());
  if (self.ndim() > 2) fail_argument(call.op(), "self", "have at most 2 dims", self.sizes());
  if (target.dtype() != Dtype::I64) {
    fail_argument(call.op(), "target", "have dtype int64", target.dtype());
  }
}

}  // namespace

void multi_margin_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Scalar&)>
      scatter("aten::scatter.value");
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  check_margin_inputs(call, self, target);
  const auto p = call.get<Scalar>(2);
  if (p.is_complex() || (p.to_double() != 1 && p.to_double() != 2)) {
    fail_argument(call.op(), "p", "1 or 2", p);
  }
  const Dims as_rows = self.ndim() == 2 ? Dims(self.sizes()) : Dims{1, numel_of(self)};
  const Tensor rows = call_reshape(self, as_rows);
  if (target.ndim() > 1 || numel_of(target) != as_rows[0]) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": target must have one class for each of the ",
                                        as_rows[0], " rows, got sizes ", target.sizes()});
  }
  const Tensor classes = call_reshape(target, Dims{as_rows[0], 1});
  const Tensor apart = call_sub(rows, call_gather(rows, 1, classes));
  Tensor losses = above_zero(call_add(apart, call.get<Scalar>(3)));
  if (p.to_double() == 2) losses = call_mul(losses, losses);
  losses = scatter(losses, 1, classes, Scalar(0));
  if (const auto weight = call.get<std::optional<Tensor>>(4)) {
    if (weight->ndim() != 1 || numel_of(*weight) != as_rows[1]) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": weight must have one element for each of the ", as_rows[1],
            " classes, got sizes ", weight->sizes()});
    }
    tenon_tensor* const list[] = {classes.get()};
    losses = call_mul(losses, call_index(*weight, TensorList(list, 1)));
  }
  losses = call_mul(call_sum_of_dim(losses, 1), 1 / static_cast<double>(as_rows[1]));
  call.give(0, reduced(call, 5, call_reshape(losses, target.sizes())));
}

void multilabel_margin_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least("aten::ge.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> cumprod(
      "aten::cumprod");
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  check_margin_inputs(call, self, target);
  if (!(self.sizes() == target.sizes())) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": target must have the sizes of self, ",
                                        self.sizes(), ", got ", target.sizes()});
  }
  const int64_t ndim = self.ndim();
  const Dims as_rows = ndim == 2 ? Dims(self.sizes()) : Dims{1, numel_of(self)};
  const Tensor rows = call_reshape(self, as_rows), labels = call_reshape(target, as_rows);
  // Labels end at the first negative one.
  const Tensor counts = cumprod(cast(at_least(labels, Scalar(0)), Dtype::I64), 1, std::nullopt);
  const Tensor classes = call_mul(labels, counts);
  const Tensor is_label = call_scatter_add(call_zeros_like(counts), 1, classes, counts);
  const Tensor of_label = call_unsqueeze(call_gather(rows, 1, classes), 2);
  const Tensor apart = call_sub(call_unsqueeze(rows, 1), of_label);
  const Tensor is_pair =
      call_mul(call_unsqueeze(counts, 2), call_unsqueeze(call_eq(is_label, Scalar(0)), 1));
  const Tensor pairs = call_mul(above_zero(call_add(apart, 1.0)), cast(is_pair, rows.dtype()));
  const int64_t dims[] = {1, 2};
  const Tensor losses = call_mul(call_sum(pairs, dims), 1 / static_cast<double>(as_rows[1]));
  const Tensor each = ndim == 2 ? losses : call_reshape(losses, Dims{});
  call.give(0, reduced(call, 2, each));
}

}  // namespace tenon::kernels::ops
