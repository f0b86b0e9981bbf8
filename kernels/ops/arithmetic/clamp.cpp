// SPDX-License-Identifier: Apache-2.0
// Implements aten::clamp and its gradient by calling other operators.
#include "kernels/ops/arithmetic/clamp.h"

#include "kernels/common/cast_out.h"
#include "kernels/common/maths/integer_range.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

using Bound = std::optional<Tensor>;

// Returns argument k, which is a number, a tensor or absent. A number outside the range of self's
// integer dtype that has no effect becomes the end of the range.
Bound bound_of(const Call& call, int k, bool is_max) {
  switch (call.args[k].tag) {
    case TENON_TAG_NONE:
      return std::nullopt;
    case TENON_TAG_TENSOR:
      return Tensor::retain(call.tensor(k));
    default:
      break;
  }
  const Dtype dtype = TensorRef(call.tensor(0))->dtype();
  if (const int side = beyond(call.args[k], dtype); side != 0 && (side > 0) == is_max) {
    return number_tensor(Scalar(end_of(dtype, side > 0)));
  }
  return number_tensor(Scalar(call.args[k]));
}

// Refuses to write self in place if the broadcast sizes differ from its sizes.
void check_in_place(const Call& call, const Tensor& self, const Tensor& bound) {
  if (call.form.written != 0) return;
  if (!(broadcast(call.op(), self.sizes(), bound.sizes()) == Dims(self.sizes()))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": bounds must have sizes that broadcast to those of self, ", self.sizes(),
          ", got ", bound.sizes()});
  }
}

// Refuses a bound outside the range of an integer dtype that no element can satisfy. A bound that
// all elements satisfy is accepted.
void check_range(const Call& call, int k, bool is_max, Dtype dtype) {
  const int side = beyond(call.args[k], dtype);
  if (side != 0 && (side > 0) != is_max) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": ", is_max ? "max" : "min", " must be a number that ", dtype, " has, got ",
          call.args[k].as.i});
  }
}

// A single tensor bound makes the operator a maximum or minimum, which supports bool.
DtypeSet types_for(const tenon_value& bound) {
  return bound.tag == TENON_TAG_TENSOR ? kReals | kBool | kOrderedUnsigned
                                       : kReals | kOrderedUnsigned;
}

// Clamps between the arguments at these positions; 0 means that there is none. The in-place form
// writes self if the result can be cast to its dtype.
void clamp_between(const Call& call, int min_at, int max_at, DtypeSet types) {
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
  const Bound min = min_at != 0 ? bound_of(call, min_at, false) : std::nullopt;
  const Bound max = max_at != 0 ? bound_of(call, max_at, true) : std::nullopt;
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
  if (min) check_range(call, min_at, /*is_max=*/false, dtype);
  if (max) check_range(call, max_at, /*is_max=*/true, dtype);
  if (call.form.written != 0) {
    // With tensor bounds an `out` may have any dtype that the result casts to; with numbers it must
    // have the dtype of self.
    Tensor made = min && max ? between(self, *min, *max)
                  : min      ? maximum(self, *min)
                             : minimum(self, *max);
    if (call.facts().routine.writes_out) return give_or_cast(call, std::move(made));
    return call.give(0, std::move(made));
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

void clamp(const Call& call) { clamp_between(call, 1, 2, kReals); }
void clamp_min(const Call& call) { clamp_between(call, 1, 0, types_for(call.args[1])); }
void clamp_max(const Call& call) { clamp_between(call, 0, 1, types_for(call.args[1])); }

namespace {

constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> is_less("aten::lt.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> is_at_most("aten::le.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> is_equal("aten::eq.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> both_of("aten::mul.Tensor");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> either_of("aten::maximum");
constinit const LazyOp<Tensor(const Tensor&, const Tensor&, const Tensor&)> choose(
    "aten::where.self");

Tensor only_where(const Tensor& mask, const Tensor& grad) {
  return choose(mask, grad, number_tensor(Scalar(int64_t{0})));
}

// With number bounds, self gets the gradient where it is strictly between the bounds; elsewhere the
// gradient is 0.
Tensor grad_between_numbers(const Tensor& grad, const Tensor& self, const Bound& min,
                            const Bound& max) {
  Tensor mask;
  if (min) mask = is_less(*min, self);
  if (max) mask = min ? both_of(mask, is_less(self, *max)) : is_less(self, *max);
  return only_where(mask, grad);
}

// The gradient goes to whichever of self, min and max is the result; max if the bounds cross. If
// self equals a bound, both get half of it. If self is NaN, self gets it, and a single bound gets
// it too, as in PyTorch.
Tensor grad_between_tensors(const Tensor& grad, const Tensor& self, const Bound& min,
                            const Bound& max, int64_t which) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> halve("aten::div.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&)> negate("aten::logical_not");
  const bool is_pair = min && max;
  Tensor on;  // self equals one of the bounds
  Tensor whole;
  if (which == 0) {
    if (min) on = is_equal(self, *min), whole = is_less(self, *min);
    if (max) {
      on = min ? either_of(on, is_equal(self, *max)) : is_equal(self, *max);
      whole = min ? either_of(whole, is_less(*max, self)) : is_less(*max, self);
    }
    whole = negate(whole);
  } else if (which == 1) {
    on = is_equal(self, *min);
    whole = is_pair ? both_of(is_less(self, *min), is_at_most(*min, *max))
                    : negate(is_less(*min, self));
  } else {
    on = is_equal(self, *max);
    whole =
        is_pair ? either_of(is_less(*max, self), is_less(*max, *min)) : negate(is_less(self, *max));
  }
  if (is_pair) on = both_of(on, is_less(*min, *max));
  return choose(on, halve(grad, Scalar(int64_t{2})), only_where(whole, grad));
}

}  // namespace

void clamp_backward(const Call& call) {
  const Tensor grad = *call.get<Tensor>(0);
  const Tensor self = *call.get<Tensor>(1);
  const Bound min = bound_of(call, 2, false);
  const Bound max = bound_of(call, 3, true);
  const int64_t which = call.form.arguments > 4 ? call.get<int64_t>(4) : 0;
  const bool has_bound = which == 0 || (which == 1 && min) || (which == 2 && max);
  if (!has_bound) {
    fail_argument(call.op(), call.form.names[4], "0 (self), or 1 or 2 for a bound that is given",
                  which);
  }
  const bool tensors = call.args[2].tag == TENON_TAG_TENSOR || call.args[3].tag == TENON_TAG_TENSOR;
  call.give(0, tensors ? grad_between_tensors(grad, self, min, max, which)
                       : grad_between_numbers(grad, self, min, max));
}

}  // namespace tenon::kernels::ops
