// SPDX-License-Identifier: Apache-2.0
// Implements the forms of aten::var by calling other operators, and its gradient.
#include "kernels/ops/reductions/var.h"

#include <cmath>

#include "kernels/common/call.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/symbolic/calls.h"
#include "kernels/ops/symbolic/rules.h"

namespace tenon::kernels::ops {

namespace {

using Dims_ = std::optional<Sizes>;
using Correction = std::optional<Scalar>;
using OfDims = LazyOp<Tensor(const Tensor&, Dims_, const Correction&, bool)>;
constinit const OfDims variance("aten::var.correction");
constinit const OfDims deviation("aten::std.correction");

// The arguments of each form.
struct VarianceArguments {
  Tensor self;
  Dims_ dims;
  Correction correction;
  bool keepdim;
};
VarianceArguments unbiased_of(const Call& call, bool has_dim) {
  const auto correction = Scalar(int64_t{call.get<bool>(has_dim ? 2 : 1)});
  return {*call.get<Tensor>(0), has_dim ? call.get<Dims_>(1) : std::nullopt, correction,
          has_dim && call.get<bool>(3)};
}
VarianceArguments corrected_of(const Call& call) {
  return {*call.get<Tensor>(0), call.get<Dims_>(1), call.get<Correction>(2), call.get<bool>(3)};
}

Tensor of(const OfDims& op, const VarianceArguments& given) {
  return op(given.self, given.dims, given.correction, given.keepdim);
}
Tensor mean_of(const VarianceArguments& given) {
  static constinit const LazyOp<Tensor(const Tensor&, Dims_, bool, std::optional<Dtype>)> mean(
      "aten::mean.dim");
  return mean(given.self, given.dims, given.keepdim, std::nullopt);
}
// Returns both results, or writes the call's outs.
void give_both(const Call& call, const OfDims& op, const VarianceArguments& given) {
  static constinit const LazyOp<void(const Tensor&, const Tensor&, bool)> copy("aten::copy_");
  Tensor results[] = {of(op, given), mean_of(given)};
  for (int k = 0; k < 2; ++k) {
    if (call.form.is_functional()) {
      call.give(k, std::move(results[k]));
    } else {
      const Tensor& made = results[k];
      copy(result_for(call, made.sizes(), made.dtype(), made.device(), nullptr, k), made, false);
    }
  }
}

}  // namespace

void var_all(const Call& call) { call.give(0, of(variance, unbiased_of(call, false))); }
void var_dim(const Call& call) { call.give(0, of(variance, unbiased_of(call, true))); }
void std_all(const Call& call) { call.give(0, of(deviation, unbiased_of(call, false))); }
void std_dim(const Call& call) { call.give(0, of(deviation, unbiased_of(call, true))); }
void var_mean(const Call& call) { give_both(call, variance, corrected_of(call)); }
void var_mean_all(const Call& call) { give_both(call, variance, unbiased_of(call, false)); }
void var_mean_dim(const Call& call) { give_both(call, variance, unbiased_of(call, true)); }
void std_mean(const Call& call) { give_both(call, deviation, corrected_of(call)); }
void std_mean_all(const Call& call) { give_both(call, deviation, unbiased_of(call, false)); }
void std_mean_dim(const Call& call) { give_both(call, deviation, unbiased_of(call, true)); }

// Computes 2 / (n - correction) * grad * (self - mean).
void var_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Scalar&)> minus(
      "aten::sub.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> times("aten::mul.Tensor");
  VarianceArguments given{*call.get<Tensor>(1), call.get<Dims_>(2), std::nullopt, true};
  const auto correction = call.get<Correction>(3).value_or(Scalar(1)).to_double();
  const Tensor mean = mean_of(given);
  const Tensor grad = call_reshape(*call.get<Tensor>(0), words_of(mean));
  const SymbolicSize count = numel_word(mean), all = numel_word(given.self);
  const SymbolicSize folded = count == 0 ? SymbolicSize(1) : all / count;
  // A whole correction can be subtracted from a symbol; others need a concrete number of elements.
  const bool is_whole = std::fabs(correction) < 0x1.0p53 && std::trunc(correction) == correction;
  const Value factor = is_whole
                           ? quotient_of(2, folded - SymbolicSize(static_cast<int64_t>(correction)))
                           : Value(2 / (static_cast<double>(number_of(folded)) - correction));
  const Tensor away = minus(given.self, mean, Scalar(1));
  call.give(0, times(call_mul(grad, factor), away));
}

}  // namespace tenon::kernels::ops
