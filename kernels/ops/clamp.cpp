// SPDX-License-Identifier: Apache-2.0
// What aten::clamp and its gradient call.
#include "kernels/ops/clamp.h"

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

using Bound = std::optional<Tensor>;

// Argument k, a number or a tensor or neither.
Bound bound_of(const Call& call, int k) {
  switch (call.args[k].tag) {
    case TENON_TAG_NONE:
      return std::nullopt;
    case TENON_TAG_TENSOR:
      return Tensor::retain(call.tensor(k));
    default:
      return number_tensor(Scalar(call.args[k]));
  }
}

// The sizes that all broadcast to must be those of self where that is written.
void check_in_place(const Call& call, const Tensor& self, const Tensor& bound) {
  if (call.form.written != 0) return;
  if (!(broadcast(call.op(), self.sizes(), bound.sizes()) == Dims(self.sizes()))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": bounds must have sizes that broadcast to those of self, ", self.sizes(),
          ", got ", bound.sizes()});
  }
}

// With one bound, a tensor, it is a maximum or minimum, which bool has.
DtypeSet types_for(const tenon_value& bound) {
  return bound.tag == TENON_TAG_TENSOR ? kReals | kBool : kReals;
}

// In place self is written, where the result can be cast to it.
void clamp_between(const Call& call, const Bound& min, const Bound& max, DtypeSet types) {
  using Binary = LazyOp<Tensor(const Tensor&, const Tensor&)>;
  using BinaryOut = LazyOp<void(const Tensor&, const Tensor&, const Tensor&)>;
  using Ternary = LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)>;
  using TernaryOut = LazyOp<void(const Tensor&, const Tensor&, const Tensor&, const Tensor&)>;
  static constinit const Binary maximum("aten::maximum");
  static constinit const Binary minimum("aten::minimum");
  static constinit const Ternary between("tenon::clamp_between");
  static constinit const BinaryOut maximum_out("aten::maximum.out");
  static constinit const BinaryOut minimum_out("aten::minimum.out");
  static constinit const TernaryOut between_out("tenon::clamp_between.out");
  const Tensor self = *call.get<Tensor>(0);
  if (!min && !max) fail_argument(call.op(), "min or max", "given", "neither");
  ResultType type;
  type.add(self.info());
  for (const Bound& bound : {min, max}) {
    if (!bound) continue;
    check_in_place(call, self, *bound);
    type.add(bound->info());
  }
  const Dtype dtype = type.get();
  if (!has(types, static_cast<tenon_dtype>(dtype))) {
    fail_dtype(call.op(), "self", dtype, names_of(types));
  }
  if (call.form.written != 0) {
    return call.give(0, min && max ? between(self, *min, *max)
                        : min      ? maximum(self, *min)
                                   : minimum(self, *max));
  }
  if (min && max) {
    between_out(self, *min, *max, self);
  } else if (min) {
    maximum_out(self, *min, self);
  } else {
    minimum_out(self, *max, self);
  }
}

}  // namespace

void clamp(const Call& call) { clamp_between(call, bound_of(call, 1), bound_of(call, 2), kReals); }
void clamp_min(const Call& call) {
  clamp_between(call, bound_of(call, 1), std::nullopt, types_for(call.args[1]));
}
void clamp_max(const Call& call) {
  clamp_between(call, std::nullopt, bound_of(call, 1), types_for(call.args[1]));
}

void clamp_backward(const Call& call) {
  using Compare = LazyOp<Tensor(const Tensor&, const Tensor&)>;
  static constinit const Compare ge("aten::ge.Tensor");
  static constinit const Compare le("aten::le.Tensor");
  static constinit const Compare lt("aten::lt.Tensor");
  static constinit const Compare gt("aten::gt.Tensor");
  static constinit const Compare both("aten::mul.Tensor");
  static constinit const Compare either("aten::maximum");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> where(
      "aten::where.self");
  const Tensor grad = *call.get<Tensor>(0);
  const Tensor self = *call.get<Tensor>(1);
  const Bound min = bound_of(call, 2);
  const Bound max = bound_of(call, 3);
  const auto which = call.get<int64_t>(4);
  Tensor mask;
  if (which == 0) {
    if (min) mask = ge(self, *min);
    if (max) mask = min ? both(mask, le(self, *max)) : le(self, *max);
  } else if (which == 1) {
    mask = lt(self, *min);
    if (max) mask = both(mask, lt(*min, *max));
  } else {
    mask = gt(self, *max);
    if (min) mask = either(mask, lt(*max, *min));
  }
  call.give(0, where(mask, grad, number_tensor(Scalar(int64_t{0}))));
}

}  // namespace tenon::kernels::ops
