// SPDX-License-Identifier: Apache-2.0
// Argument checks of random distributions, and their forms that are not in place.
#include "kernels/ops/random/distributions.h"

#include <string_view>

#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/factories/fill.h"

namespace tenon::kernels::ops {
namespace {

void check_above_zero(const Call& call, int k) {
  const auto number = call.get<double>(k);
  if (!(number > 0)) fail_argument(call.op(), call.form.names[k], "above 0", Scalar(number));
}

}  // namespace

void check_distribution(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), self);
  check_no_internal_overlap(call.op(), self);
  const Dtype dtype = dtype_of_info(self);
  const std::string_view name = call.facts().name;
  const bool takes_whole = name == "geometric";
  if (!has(takes_whole ? kReals : kFloats, static_cast<tenon_dtype>(dtype))) {
    fail_dtype(call.op(), "self", dtype, takes_whole ? "integral or floating" : "floating");
  }
  if (name == "exponential") check_above_zero(call, 1);
  if (name == "cauchy" || name == "log_normal") check_above_zero(call, 2);
  if (name == "geometric" && !(call.get<double>(1) > 0 && call.get<double>(1) < 1)) {
    fail_argument(call.op(), "p", "in (0, 1)", Scalar(call.get<double>(1)));
  }
}

void distribution_meta(const Call& call) { check_distribution(call); }

// Fills a new tensor by the in-place form.
void distribution(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  Tensor made = empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
  using OneNumber = void(const Tensor&, double, const std::optional<Generator>&);
  using TwoNumbers = void(const Tensor&, double, double, const std::optional<Generator>&);
  static constinit const LazyOp<OneNumber> exponential("aten::exponential_");
  static constinit const LazyOp<OneNumber> geometric("aten::geometric_");
  static constinit const LazyOp<TwoNumbers> cauchy("aten::cauchy_");
  static constinit const LazyOp<TwoNumbers> log_normal("aten::log_normal_");
  const std::string_view name = call.facts().name;
  if (name == "exponential" || name == "geometric") {
    const auto& draw = name == "geometric" ? geometric : exponential;
    draw(made, call.get<double>(1), call.get<std::optional<Generator>>(2));
  } else {
    const auto& draw = name == "cauchy" ? cauchy : log_normal;
    draw(made, call.get<double>(1), call.get<double>(2), call.get<std::optional<Generator>>(3));
  }
  call.give(0, std::move(made));
}

}  // namespace tenon::kernels::ops
