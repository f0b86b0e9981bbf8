// SPDX-License-Identifier: Apache-2.0
// The strides of aten::unfold, and the implementation of its gradient.
#include "kernels/ops/views/unfold.h"

#include "kernels/common/checked_size.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void unfold_view(View& view, const Call& call) {
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), view.ndim());
  const auto size = call.get<int64_t>(2);
  const auto step = call.get<int64_t>(3);
  const bool has_dim = view.ndim() != 0;
  const int64_t whole = has_dim ? view.sizes[dim] : 1;
  if (size < 0 || size > whole) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": size must be in [0, ", whole, "], the size of dim ", dim, ", got ", size});
  }
  if (step <= 0) fail_argument(call.op(), "step", "above 0", step);
  view.sizes.push_back(size);
  view.strides.push_back(has_dim ? view.strides[dim] : 1);
  if (!has_dim) return;
  view.sizes[dim] = (whole - size) / step + 1;
  if (__builtin_mul_overflow(view.strides[dim], step, &view.strides[dim])) {
    // The product overflows only if there is a single window, whose stride is not used: several
    // windows are inside the storage.
    view.strides[dim] = INT64_MAX;
  }
  view.strides[dim] = kept_stride(view.sizes[dim], view.strides[dim]);
}

void unfold_backward(const Call& call) {
  using Window = Tensor(const Tensor&, int64_t, int64_t, int64_t);
  static constinit const LazyOp<Window> windows("aten::unfold");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, std::optional<int64_t>,
                                       std::optional<int64_t>, int64_t)>
      slice("aten::slice.Tensor");
  static constinit const LazyOp<void(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add_.Tensor");
  const Tensor grad = *call.get<Tensor>(0);
  const auto dim = call.get<int64_t>(2), size = call.get<int64_t>(3), step = call.get<int64_t>(4);
  const Tensor whole = call_zeros(call.get<Sizes>(1), options_like(kind_of(grad), {}));
  if (grad.ndim() != whole.ndim() + 1) {
    fail_argument(call.op(), "grad_in", "have one dim more than input_sizes", grad.sizes());
  }
  if (numel_of(grad) == 0) return call.give(0, whole);
  if (step >= size || whole.ndim() == 0) {  // windows do not overlap
    Tensor part = windows(whole, dim, size, step);
    call_copy(part, grad);
    return call.give(0, whole);
  }
  const int64_t at = wrap_dim(call.op(), dim, whole.ndim());
  const CheckedSize steps(call.op(), grad.sizes()[static_cast<size_t>(at)] - 1);
  const int64_t last = (steps * step + 1).value();
  static_cast<void>(CheckedSize(call.op(), last) + size);  // the largest number in the loop
  for (int64_t k = 0; k < size; ++k) {
    add(slice(whole, at, k, k + last, step), select(grad, -1, k), Scalar(1));
  }
  call.give(0, whole);
}

}  // namespace tenon::kernels::ops
