// SPDX-License-Identifier: Apache-2.0
// Implements aten::dropout and similar operators by calling other operators.
#include "kernels/ops/random/dropout.h"

#include <cmath>

#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/symbolic/calls.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<void(const Tensor&, const Tensor&)> multiply_in_place("aten::mul_.Tensor");
constinit const LazyOp<void(const Tensor&, const Tensor&, const Scalar&)> add_in_place(
    "aten::add_.Tensor");

double probability(const Call& call) {
  const auto p = call.get<double>(1);
  if (!(p >= 0 && p <= 1)) fail_argument(call.op(), "p", "from 0 to 1", Scalar(p));
  return p;
}

void check_floating_input(const Call& call, const Tensor& input) {
  if (is_floating(input.dtype()) || is_complex(input.dtype())) return;
  fail_dtype(call.op(), "input", input.dtype(), "floating or complex");
}

// Returns a mask that is true for elements that are kept, drawn for these sizes.
Tensor drawn(const Tensor& input, const SymbolicDims& sizes, double p) {
  // Not in place: in a vmap with different randomness the drawn numbers become mapped.
  using Draw = Tensor(const Tensor&, double, double, const std::optional<Generator>&);
  static constinit const LazyOp<Draw> uniform("aten::uniform");
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> at_least_p("aten::ge.Scalar");
  FactoryOptions options = options_like(kind_of(input), {});
  options.dtype = Dtype::F32;
  return at_least_p(uniform(call_empty_of_words(sizes, options), 0, 1, std::nullopt), Scalar(p));
}

Tensor all_kept(const Tensor& input) {
  FactoryOptions options = options_like(kind_of(input), {});
  options.dtype = Dtype::Bool;
  Tensor all = call_empty_of_words(words_of(input), options);
  call_fill(all, Scalar(true));
  return all;
}

// Returns the sizes of a mask with one element per channel, for an input with a batch.
SymbolicDims of_channels(const Call& call, const Tensor& input) {
  SymbolicDims sizes = words_of(input);
  if (input.ndim() < 2) fail_argument(call.op(), "input", "have at least 2 dims", text_of(sizes));
  for (int64_t d = 2; d < sizes.size(); ++d) sizes[d] = 1;
  return sizes;
}

// Returns the input times a factor, plus `added` if there is one.
void give_changed(const Call& call, const Tensor& input, const Tensor& factor,
                  const Tensor* added = nullptr) {
  if (call.form.is_functional()) {
    const Tensor result = call_mul(input, factor);
    return call.give(0, added != nullptr ? call_add(result, *added) : result);
  }
  multiply_in_place(input, factor);
  if (added != nullptr) add_in_place(input, *added, Scalar(1));
}

void give_unchanged(const Call& call, const Tensor& input) {
  if (call.form.is_functional()) call.give(0, input);
}

void drop(const Call& call, bool channels) {
  const Tensor input = *call.get<Tensor>(0);
  const double p = probability(call);
  if (p == 0 || !call.get<bool>(2) || numel_word(input) == 0) return give_unchanged(call, input);
  check_floating_input(call, input);
  const SymbolicDims sizes = channels ? of_channels(call, input) : words_of(input);
  const Tensor kept = cast(drawn(input, sizes, p), input.dtype());
  give_changed(call, input, p == 1 ? kept : call_mul(kept, 1 / (1 - p)));
}

// https://arxiv.org/abs/1706.02515: dropped elements get selu's limit for large negative inputs,
// and the result is scaled and shifted to keep mean and standard deviation.
void drop_alpha(const Call& call, bool channels) {
  constexpr double kAlpha = 1.7580993408473766;
  const Tensor input = *call.get<Tensor>(0);
  const double p = probability(call);
  if (p == 0 || !call.get<bool>(2) || numel_word(input) == 0) return give_unchanged(call, input);
  check_floating_input(call, input);
  const SymbolicDims sizes = channels ? of_channels(call, input) : words_of(input);
  const Tensor kept = cast(drawn(input, sizes, p), input.dtype());
  if (p == 1) return give_changed(call, input, kept);
  const double scale = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  const Tensor added = call_add(call_mul(call_add(kept, -1.0), kAlpha * scale), kAlpha * scale * p);
  give_changed(call, input, call_mul(kept, scale), &added);
}

}  // namespace

void dropout(const Call& call) { drop(call, false); }
void feature_dropout(const Call& call) { drop(call, true); }
void alpha_dropout(const Call& call) { drop_alpha(call, false); }
void feature_alpha_dropout(const Call& call) { drop_alpha(call, true); }

void native_dropout(const Call& call) {
  const Tensor input = *call.get<Tensor>(0);
  double p = probability(call);
  check_floating_input(call, input);
  if (!call.get<std::optional<bool>>(2).value_or(true)) p = 0;
  const Tensor kept = p == 0 ? all_kept(input) : drawn(input, words_of(input), p);
  const Tensor factor = cast(kept, input.dtype());
  call.give(0, call_mul(call_mul(input, factor), p == 1 ? 0 : 1 / (1 - p)));
  call.give(1, kept);
}

}  // namespace tenon::kernels::ops
