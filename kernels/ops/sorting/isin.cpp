// SPDX-License-Identifier: Apache-2.0
// Implements aten::isin by calling other operators.
#include "kernels/ops/sorting/isin.h"

#include <string_view>

#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {
namespace {

// Up to this number of test elements compares with each one; more are sorted first.
constexpr int64_t kFew = 24;

Tensor among(const Call& call, const Tensor& elements, const Tensor& others) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> either("aten::logical_or");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool, bool,
                                       std::optional<std::string_view>,
                                       const std::optional<Tensor>&)>
      places_of("aten::searchsorted.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Scalar>, std::optional<Scalar>)>
      bounded("aten::clamp");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> take("aten::take");
  if (is_complex(elements.dtype()) || is_complex(others.dtype()))
    fail_dtype(call.op(), call.form.names[0], elements.dtype(), "real");
  const int64_t count = numel_of(others);
  const Tensor flat = call_reshape(others, Dims{count});
  if (count <= kFew) {
    Tensor found = call_zeros(elements.sizes(), {Dtype::Bool, {}, elements.device(), {}});
    for (int64_t k = 0; k < count; ++k)
      found = either(found, call_eq(elements, call_select(flat, 0, k)));
    return found;
  }
  ResultType type;
  type.add(elements.info());
  type.add(others.info());
  Dtype dtype = type.get();
  if (dtype == Dtype::Bool) dtype = Dtype::U8;  // searchsorted does not support bool
  const Tensor sorted = std::get<0>(call_sort(cast(flat, dtype), 0));
  const Tensor wanted = call_contiguous(cast(elements, dtype));
  const Tensor places = bounded(places_of(sorted, wanted, false, false, std::nullopt, std::nullopt),
                                Scalar(0), Scalar(count - 1));
  return call_eq(take(sorted, places), wanted);
}

void give_among(const Call& call, const Tensor& elements, const Tensor& others) {
  Tensor found = among(call, elements, others);
  call.give(0, call.get<bool>(3) ? call_logical_not(found) : std::move(found));
}

}  // namespace

void isin(const Call& call) { give_among(call, *call.get<Tensor>(0), *call.get<Tensor>(1)); }
void isin_scalar(const Call& call) {
  give_among(call, *call.get<Tensor>(0), number_tensor(call.get<Scalar>(1)));
}
void scalar_isin(const Call& call) {
  const Tensor others = *call.get<Tensor>(1);
  Tensor element =
      call_empty({}, options_like(kind_of(others), {call.get<Scalar>(0).dtype(), {}, {}, {}}));
  call_fill(element, call.get<Scalar>(0));
  give_among(call, element, others);
}

}  // namespace tenon::kernels::ops
