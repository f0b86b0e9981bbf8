// SPDX-License-Identifier: Apache-2.0
// Implements aten::batch_norm, aten::instance_norm and the native forms of norms by calling other
// operators.
#include "kernels/ops/normalization/batch_norm.h"

#include <algorithm>
#include <tuple>

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"
#include "tenon/grad_mode.h"

namespace tenon::kernels::ops {
namespace {

using Factor = std::optional<Tensor>;
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> batch_product("aten::mul.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> batch_sum(
    "aten::add.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> batch_difference(
    "aten::sub.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&, const Scalar&)>
    product_added("aten::addcmul");
constinit const LazyOp<Tensor(const Tensor&)> one_by_root("aten::rsqrt");
constinit const LazyOp<std::tuple<Tensor, Tensor>(const Tensor&, std::optional<Sizes>,
                                                  const std::optional<Scalar>&, bool)>
    spread_of("aten::var_mean.correction");

// Small floats are computed as float.
Dtype batch_dtype(const Call& call, Dtype dtype) {
  const bool is_small = is_half_precision(dtype);
  if (!is_small && dtype != Dtype::F32 && dtype != Dtype::F64) {
    fail_dtype(call.op(), "input", dtype, "floating");
  }
  return is_small ? Dtype::F32 : dtype;
}

Tensor in_batch_dtype(const Tensor& tensor, Dtype dtype) {
  return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
}

void check_channel_factor(const Call& call, const char* name, const Factor& factor,
                          SymbolicSize channels) {
  if (!factor) return;
  const SymbolicDims sizes = words_of(*factor);
  if (sizes.size() == 1 && sizes[0] == channels) return;
  fail(TENON_ERROR_INVALID_ARGUMENT,
       {call.op(), ": ", name, " must have sizes [", text_of(channels), "], got ", text_of(sizes)});
}

// Disables gradients while it exists.
class WithoutGrad {
 public:
  WithoutGrad() { check(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard_)); }
  ~WithoutGrad() { tenon_key_guard_leave(&guard_); }
  WithoutGrad(const WithoutGrad&) = delete;
  WithoutGrad& operator=(const WithoutGrad&) = delete;

 private:
  tenon_key_guard guard_{};
};

// Reshapes a factor of channels to broadcast over the input's dims.
Tensor each_channel(const Tensor& factor, int64_t ndim) {
  SymbolicDims sizes = SymbolicDims::filled(ndim, 1);
  sizes[1] = numel_word(factor);
  return call_reshape(factor, sizes);
}

// The mean and the reciprocal of the standard deviation of each channel.
struct Norm {
  Tensor mean;
  Tensor scale;
};

// Computes running = running * (1 - momentum) + value * momentum, in the running tensor's dtype.
void update_running(const Factor& running, const Tensor& value, double momentum) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> scaled("aten::mul.Scalar");
  if (!running) return;
  const Tensor next = batch_sum(scaled(*running, Scalar(1 - momentum)),
                                in_batch_dtype(value, running->dtype()), Scalar(momentum));
  Tensor target = *running;
  call_copy(target, next);
}

// Returns the norm of the batch itself, and updates the running tensors.
Norm norm_of_batch(const Call& call, const Tensor& input, const Factor& running_mean,
                   const Factor& running_var, double momentum, double eps) {
  Dims dims{0};
  for (int64_t d = 2; d < input.ndim(); ++d) dims.push_back(d);
  const SymbolicDims sizes = words_of(input);
  SymbolicSize count = sizes[1] == 0 ? SymbolicSize(0) : sizes[0];
  for (int64_t d = 2; d < sizes.size(); ++d) count *= sizes[d];
  if (count == 0 && !(sizes[1] == 0)) {
    fail_argument(call.op(), "input", "have at least 1 element in each channel", text_of(sizes));
  }
  auto [variance, mean] = spread_of(input, Sizes(dims), Scalar(int64_t{0}), false);
  if (running_mean || running_var) {
    const WithoutGrad without_grad;
    update_running(running_mean, mean, momentum);
    // The variance of the population, of which the batch is a sample.
    const Value unbiased = quotient_of(count, count - SymbolicSize(1));
    update_running(running_var, call_mul(variance, unbiased), momentum);
  }
  return {mean, one_by_root(batch_sum(variance, number_tensor(Scalar(eps)), Scalar(1)))};
}

// Computes input * (weight * scale) + (bias - mean * weight * scale), each in one pass over the
// input.
Tensor normalized(const Tensor& input, const Norm& norm, const Factor& weight, const Factor& bias) {
  static constinit const LazyOp<Tensor(const Tensor&)> negative("aten::neg");
  const Dtype dtype = input.dtype();
  const Tensor factor =
      weight ? batch_product(in_batch_dtype(*weight, dtype), norm.scale) : norm.scale;
  const Tensor moved = batch_product(norm.mean, factor);
  const Tensor base =
      bias ? batch_difference(in_batch_dtype(*bias, dtype), moved, Scalar(1)) : negative(moved);
  return product_added(each_channel(base, input.ndim()), input, each_channel(factor, input.ndim()),
                       Scalar(1));
}

struct NormCall {
  Tensor input;
  Factor weight, bias, running_mean, running_var;
  Dtype wide;

  explicit NormCall(const Call& call)
      : input(*call.get<Tensor>(0)),
        weight(call.get<Factor>(1)),
        bias(call.get<Factor>(2)),
        running_mean(call.get<Factor>(3)),
        running_var(call.get<Factor>(4)),
        wide(batch_dtype(call, input.dtype())) {
    const SymbolicDims sizes = words_of(input);
    if (sizes.size() < 2) fail_argument(call.op(), "input", "have at least 2 dims", text_of(sizes));
    const SymbolicSize channels = sizes[1];
    check_channel_factor(call, "weight", weight, channels);
    check_channel_factor(call, "bias", bias, channels);
    check_channel_factor(call, "running_mean", running_mean, channels);
    check_channel_factor(call, "running_var", running_var, channels);
  }
};

struct Normed {
  Tensor result;
  Norm norm;
};

Normed batch_normed(const Call& call) {
  const NormCall given(call);
  const bool training = call.get<bool>(5);
  const auto momentum = call.get<double>(6), eps = call.get<double>(7);
  if (!training && (!given.running_mean || !given.running_var)) {
    fail_argument(call.op(), given.running_mean ? "running_var" : "running_mean",
                  "a tensor where training is False", "None");
  }
  const Tensor input = in_batch_dtype(given.input, given.wide);
  Norm norm;
  if (training) {
    norm = norm_of_batch(call, input, given.running_mean, given.running_var, momentum, eps);
  } else {
    const Tensor variance = in_batch_dtype(*given.running_var, given.wide);
    norm = {in_batch_dtype(*given.running_mean, given.wide),
            one_by_root(batch_sum(variance, number_tensor(Scalar(eps)), Scalar(1)))};
  }
  return {in_batch_dtype(normalized(input, norm, given.weight, given.bias), given.input.dtype()),
          norm};
}

// Returns the mean or scale of the batch, without gradient; an empty tensor unless `training`,
// because the running statistics were used then. It has the dtype of the per-channel factors if
// there are any.
Tensor kept_of(const Call& call, const Tensor& tensor, bool training) {
  static constinit const LazyOp<Tensor(const Tensor&)> detach("aten::detach");
  Dtype dtype = call.get<Tensor>(0)->dtype();
  for (int k = 4; k > 0; --k) {
    if (const auto factor = call.get<Factor>(k)) dtype = factor->dtype();
  }
  if (training) return in_batch_dtype(detach(tensor), dtype);
  FactoryOptions options = options_like(kind_of(tensor), {});
  options.dtype = dtype;
  return call_empty(Dims{0}, options);
}

}  // namespace

void batch_norm(const Call& call) { call.give(0, batch_normed(call).result); }

void native_batch_norm(const Call& call) {
  Normed made = batch_normed(call);
  const bool training = call.get<bool>(5);
  call.give(0, std::move(made.result));
  call.give(1, kept_of(call, made.norm.mean, training));
  call.give(2, kept_of(call, made.norm.scale, training));
}

// Normalizes as a batch of one whose channels are those of all images.
void instance_norm(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Factor&, const Factor&, const Factor&,
                                       const Factor&, bool, double, double, bool)>
      whole("aten::batch_norm");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      mean("aten::mean.dim");
  const NormCall given(call);
  const bool of_input = call.get<bool>(5);
  if (!of_input && (!given.running_mean || !given.running_var)) {
    fail_argument(call.op(), given.running_mean ? "running_var" : "running_mean",
                  "a tensor where use_input_stats is False", "None");
  }
  const SymbolicDims given_sizes = words_of(given.input);
  const SymbolicSize batch = given_sizes[0], channels = given_sizes[1];
  SymbolicDims sizes = given_sizes;
  sizes[0] = 1;
  sizes[1] = batch * channels;
  const auto for_all = [&](const Factor& factor) -> Factor {
    return factor ? Factor(call_repeat(*factor, {batch})) : Factor();
  };
  const Factor running_mean = for_all(given.running_mean), running_var = for_all(given.running_var);
  const Tensor result = whole(call_reshape(given.input, sizes), for_all(given.weight),
                              for_all(given.bias), running_mean, running_var, of_input,
                              call.get<double>(6), call.get<double>(7), call.get<bool>(8));
  if (of_input) {
    const WithoutGrad without_grad;
    const int64_t first[] = {0};
    const auto write = [&](const Factor& target, const Factor& all) {
      if (!target) return;
      Tensor kept = *target;
      call_copy(kept, mean(call_reshape(*all, SymbolicDims{batch, channels}), Sizes(first), false,
                           std::nullopt));
    };
    write(given.running_mean, running_mean);
    write(given.running_var, running_var);
  }
  call.give(0, call_reshape(result, given_sizes));
}

void native_group_norm(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Factor&, const Factor&, double,
                                       bool)>
      group_norm("aten::group_norm");
  const Tensor input = *call.get<Tensor>(0);
  const auto weight = call.get<Factor>(1), bias = call.get<Factor>(2);
  const SymbolicSize batch = size_argument(call, 3), channels = size_argument(call, 4),
                     each = size_argument(call, 5);
  const auto groups = call.get<int64_t>(6);
  const auto eps = call.get<double>(7);
  const SymbolicDims sizes = words_of(input);
  if (!(numel_word(input) == batch * channels * each) || groups < 1 ||
      !(channels / groups * groups == channels)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": input must have N * C * HxW elements, and group must divide C, got sizes ",
          text_of(sizes), " for ", text_of(batch), ", ", text_of(channels), ", ", text_of(each),
          " and ", groups});
  }
  const bool is_batch = sizes.size() >= 2 && sizes[0] == batch && sizes[1] == channels;
  const Tensor images = is_batch ? input : call_reshape(input, SymbolicDims{batch, channels, each});
  call.give(0, call_reshape(group_norm(images, groups, weight, bias, eps, true), sizes));
  const Dtype wide = batch_dtype(call, input.dtype());
  const int64_t dim[] = {2};
  auto [variance, mean] =
      spread_of(call_reshape(in_batch_dtype(input, wide),
                             SymbolicDims{batch, groups, channels / groups * each}),
                Sizes(dim), Scalar(int64_t{0}), false);
  const Dtype kept = weight ? weight->dtype() : input.dtype();
  call.give(1, in_batch_dtype(mean, kept));
  call.give(2, in_batch_dtype(
                   one_by_root(batch_sum(variance, number_tensor(Scalar(eps)), Scalar(1))), kept));
}

}  // namespace tenon::kernels::ops
