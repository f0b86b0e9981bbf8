// SPDX-License-Identifier: Apache-2.0
// Implements aten::nll_loss_nd, similar operators and aten::cross_entropy_loss by calling other
// operators.
#include "kernels/ops/loss/nll_loss.h"

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/filled_like.h"
#include "kernels/ops/loss/loss_reduction.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

namespace {

using Weight = std::optional<Tensor>;

int64_t dim_of_classes(const Tensor& self) { return self.ndim() == 1 ? 0 : 1; }

void check_targets(const Call& call, const Tensor& self, const Tensor& target,
                   const Weight& weight) {
  const SymbolicDims sizes = words_of(self);
  SymbolicDims wanted = sizes;
  if (self.ndim() > 0) wanted.erase(dim_of_classes(self));
  if (self.ndim() == 0 || !are_equal(wanted, words_of(target))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": target must have the sizes of self without the dim of classes, ",
          text_of(wanted), ", got ", text_of(words_of(target)), " for ", text_of(sizes)});
  }
  if (target.dtype() != Dtype::I64 && target.dtype() != Dtype::U8) {
    fail_dtype(call.op(), "target", target.dtype(), "int64 or uint8");
  }
  const SymbolicSize classes = sizes[dim_of_classes(self)];
  if (weight && !are_equal(words_of(*weight), SymbolicDims{classes})) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": weight must have sizes [", text_of(classes),
                                        "], got ", text_of(words_of(*weight))});
  }
}

// A mask of the targets that count, and their classes, with valid ones in place of those ignored.
struct Targets {
  Tensor counts;
  Tensor classes;

  Targets(const Tensor& target, int64_t ignored) {
    static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> other("aten::ne.Scalar");
    const Tensor wide = target.dtype() == Dtype::I64 ? target : cast(target, Dtype::I64);
    counts = other(wide, Scalar(ignored));
    classes = only_where(wide, Scalar(int64_t{0}));
  }
  Tensor only_where(const Tensor& elements, const Scalar& otherwise) const {
    static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> where(
        "aten::where.ScalarOther");
    return where(counts, elements, otherwise);
  }
};

// Returns the weight of the class of each target.
Tensor weights_of(const Targets& targets, const Weight& weight, const Tensor& self) {
  if (!weight) return cast(targets.counts, self.dtype());
  tenon_tensor* const classes[] = {targets.classes.get()};
  return targets.only_where(call_index(*weight, TensorList(classes, 1)), Scalar(0.0));
}

struct Losses {
  Tensor each;
  Tensor weights;  // weight of each loss
};

// Returns the negated score of the true class, times its weight.
Losses losses_of(const Tensor& self, const Targets& targets, const Weight& weight) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, bool)> gather(
      "aten::gather");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> squeeze("aten::squeeze.dim");
  const int64_t dim = dim_of_classes(self);
  const Tensor at = call_unsqueeze(targets.classes, dim);
  const Tensor picked = targets.only_where(squeeze(gather(self, dim, at, false), dim), Scalar(0.0));
  const Tensor weights = weights_of(targets, weight, self);
  return {call_neg(weight ? call_mul(picked, weights) : picked), weights};
}

Tensor total(const Tensor& elements) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Dtype>)> sum_all("aten::sum");
  return sum_all(elements, std::nullopt);
}

// The mean is weighted, over the targets that count.
Tensor reduced_by_weights(const Call& call, const Tensor& losses, const Tensor& weights) {
  if (call.get<int64_t>(3) != 1) return reduced(call, 3, losses);
  return call_div(total(losses), total(weights));
}

void check_dims_of_rows(const Call& call) {
  const int64_t dims = call.get<Tensor>(0)->ndim();
  if (dims != 1 && dims != 2) fail_argument(call.op(), "self", "have 1 or 2 dims", dims);
}

void check_dims_of_images(const Call& call) {
  const int64_t dims = call.get<Tensor>(0)->ndim();
  if (dims != 4) fail_argument(call.op(), "self", "have 4 dims", dims);
}

// Returns the loss and the sum of the weights of all targets; 0 if no reduction needs it.
void give_with_total(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const auto weight = call.get<Weight>(2);
  check_targets(call, self, target, weight);
  const Losses losses = losses_of(self, Targets(target, call.get<int64_t>(4)), weight);
  // For a single target without a batch PyTorch returns its weight.
  const bool is_each = call.get<int64_t>(3) == 0 && target.ndim() > 0;
  Tensor result = reduced_by_weights(call, losses.each, losses.weights);
  call.give(0, std::move(result));
  call.give(1, is_each ? call_zeros({}, options_like(kind_of(self), {})) : total(losses.weights));
}

void check_label_smoothing(const Call& call, double smoothing) {
  if (smoothing >= 0 && smoothing <= 1) return;
  fail_argument(call.op(), "label_smoothing", "from 0 to 1", Scalar(smoothing));
}

// Returns the weights of classes, shaped to broadcast to self.
Tensor of_classes(const Tensor& weight, const Tensor& self) {
  SymbolicDims sizes = SymbolicDims::filled(self.ndim(), 1);
  sizes[dim_of_classes(self)] = numel_word(weight);
  return call_reshape(weight, sizes);
}

// Handles targets that are probabilities.
void cross_entropy_of_probabilities(const Call& call, const Tensor& logs, Tensor target,
                                    const Weight& weight, double smoothing) {
  const int64_t dim = dim_of_classes(logs);
  const auto classes = static_cast<double>(logs.sizes()[static_cast<size_t>(dim)]);
  if (smoothing > 0) target = call_add(call_mul(target, 1 - smoothing), smoothing / classes);
  Tensor each = call_mul(logs, target);
  if (weight) each = call_mul(each, of_classes(*weight, logs));
  const Tensor losses = call_neg(call_sum_of_dim(each, dim));
  if (call.get<int64_t>(3) != 1) return call.give(0, reduced(call, 3, losses));
  const auto count = static_cast<double>(std::max<int64_t>(numel_of(losses), 1));
  call.give(0, call_mul(total(losses), 1 / count));
}

}  // namespace

void nll_loss_nd(const Call& call) {
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const auto weight = call.get<Weight>(2);
  check_targets(call, self, target, weight);
  const Losses losses = losses_of(self, Targets(target, call.get<int64_t>(4)), weight);
  call.give(0, reduced_by_weights(call, losses.each, losses.weights));
}

void nll_loss(const Call& call) {
  check_dims_of_rows(call);
  nll_loss_nd(call);
}

void nll_loss2d(const Call& call) {
  check_dims_of_images(call);
  nll_loss_nd(call);
}

void nll_loss_forward(const Call& call) {
  check_dims_of_rows(call);
  give_with_total(call);
}

void nll_loss2d_forward(const Call& call) {
  check_dims_of_images(call);
  give_with_total(call);
}

void nll_loss_backward(const Call& call) {
  const Tensor self = *call.get<Tensor>(1), target = *call.get<Tensor>(2);
  const auto weight = call.get<Weight>(3);
  check_targets(call, self, target, weight);
  const Targets targets(target, call.get<int64_t>(5));
  Tensor slopes = call_mul(call_neg(*call.get<Tensor>(0)), weights_of(targets, weight, self));
  if (call.get<int64_t>(4) == 1) slopes = call_div(slopes, *call.get<Tensor>(6));
  // Without weights there is no mean; ignored targets get no gradient.
  slopes = targets.only_where(slopes, Scalar(0.0));
  const int64_t dim = dim_of_classes(self);
  call.give(0, call_scatter(call_zeros_like(self), dim, call_unsqueeze(targets.classes, dim),
                            call_unsqueeze(slopes, dim)));
}

void cross_entropy_loss(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<Dtype>)> log_softmax(
      "aten::log_softmax.int");
  const Tensor self = *call.get<Tensor>(0), target = *call.get<Tensor>(1);
  const auto weight = call.get<Weight>(2);
  const auto smoothing = call.get<double>(5);
  check_label_smoothing(call, smoothing);
  if (self.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", "a 0-dim tensor");
  const int64_t dim = dim_of_classes(self);
  const Tensor logs = log_softmax(self, dim, std::nullopt);
  if (is_floating(target.dtype()) && are_equal(words_of(self), words_of(target))) {
    return cross_entropy_of_probabilities(call, logs, target, weight, smoothing);
  }
  check_targets(call, self, target, weight);
  const Targets targets(target, call.get<int64_t>(4));
  const Losses losses = losses_of(logs, targets, weight);
  Tensor result = reduced_by_weights(call, losses.each, losses.weights);
  if (smoothing > 0) {
    // A share of each target is distributed over all classes.
    const Tensor weighted = weight ? call_mul(logs, of_classes(*weight, self)) : logs;
    const Tensor all = targets.only_where(call_neg(call_sum_of_dim(weighted, dim)), Scalar(0.0));
    const auto classes = static_cast<double>(self.sizes()[static_cast<size_t>(dim)]);
    result = call_add(call_mul(result, 1 - smoothing),
                      call_mul(reduced_by_weights(call, all, losses.weights), smoothing / classes));
  }
  call.give(0, std::move(result));
}

}  // namespace tenon::kernels::ops
