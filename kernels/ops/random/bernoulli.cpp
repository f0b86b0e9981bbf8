// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::bernoulli_, and its forms that are not in place.
#include "kernels/ops/random/bernoulli.h"

#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/factories/fill.h"

namespace tenon::kernels::ops {
namespace {

using Source = std::optional<Generator>;
constinit const LazyOp<void(const Tensor&, double, const Source&)> draw_number(
    "aten::bernoulli_.float");
constinit const LazyOp<void(const Tensor&, const Tensor&, const Source&)> draw_tensor(
    "aten::bernoulli_.Tensor");

void check_written(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_fill_target(call.op(), self);
  check_no_internal_overlap(call.op(), self);
  const Dtype dtype = dtype_of_info(self);
  if (!has(kReals | kBool, static_cast<tenon_dtype>(dtype))) {
    fail_dtype(call.op(), "self", dtype, "real or bool");
  }
}

Tensor made_like(const Call& call) {
  const tenon_tensor_info like = call.get<Tensor>(0)->info();
  return empty_in_format(call.op(), like, MemoryFormat::Preserve, options_like(like, {}));
}

}  // namespace

void check_bernoulli(const Call& call) {
  check_written(call);
  const auto p = call.get<double>(1);
  if (!(p >= 0 && p <= 1)) fail_argument(call.op(), "p", "in [0, 1]", Scalar(p));
}

void check_bernoulli_tensor(const Call& call) {
  check_written(call);
  const Tensor self = *call.get<Tensor>(0), p = *call.get<Tensor>(1);
  check_floating(call.op(), "p", p.dtype());
  Dims common(self.sizes());
  if (broadcast_into(common, p.sizes()) >= 0 || !(common == Dims(self.sizes()))) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": p must broadcast to the sizes of self, ",
                                        self.sizes(), ", got ", p.sizes()});
  }
}

void bernoulli_number(const Call& call) {
  Tensor made = made_like(call);
  draw_number(made, call.get<double>(1), call.get<Source>(2));
  call.give(0, std::move(made));
}

void bernoulli_tensor(const Call& call) {
  Tensor made = made_like(call);
  draw_tensor(made, *call.get<Tensor>(1), call.get<Source>(2));
  call.give(0, std::move(made));
}

void bernoulli(const Call& call) {
  Tensor made = made_like(call);
  draw_tensor(made, *call.get<Tensor>(0), call.get<Source>(1));
  call.give(0, std::move(made));
}

}  // namespace tenon::kernels::ops
