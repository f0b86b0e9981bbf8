// SPDX-License-Identifier: Apache-2.0
// Copies of tensors in which a view is overwritten.
#include "kernels/ops/views/view_scatter.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

namespace {

// Copies self, and writes `src` to the view that `show` makes of the copy.
template <class Show>
void give_written(const Call& call, Show&& show) {
  const Tensor whole = call_clone(call.get<Tensor>(0), MemoryFormat::Preserve);
  Tensor part = show(whole);
  const Tensor src = *call.get<Tensor>(1);
  if (!std::ranges::equal(part.sizes(), src.sizes())) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {call.op(), ": src must have the sizes of the view, ",
                                        part.sizes(), ", got ", src.sizes()});
  }
  call_copy(part, src);
  call.give(0, whole);
}

}  // namespace

void diagonal_scatter(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t, int64_t)> diagonal(
      "aten::diagonal");
  give_written(call, [&](const Tensor& whole) {
    return diagonal(whole, call.get<int64_t>(2), call.get<int64_t>(3), call.get<int64_t>(4));
  });
}

void select_scatter(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  give_written(call, [&](const Tensor& whole) {
    return select(whole, call.get<int64_t>(2), call.get<int64_t>(3));
  });
}

void slice_scatter(const Call& call) {
  using Bound = std::optional<int64_t>;
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, Bound, Bound, int64_t)> slice(
      "aten::slice.Tensor");
  give_written(call, [&](const Tensor& whole) {
    return slice(whole, call.get<int64_t>(2), call.get<Bound>(3), call.get<Bound>(4),
                 call.get<int64_t>(5));
  });
}

}  // namespace tenon::kernels::ops
