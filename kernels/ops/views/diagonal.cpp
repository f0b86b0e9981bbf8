// SPDX-License-Identifier: Apache-2.0
// The strides of aten::diagonal, and operators that use diagonals.
#include "kernels/ops/views/diagonal.h"

#include "kernels/common/checked_size.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

namespace {

constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t, int64_t)> diagonal_of(
    "aten::diagonal");

// Returns zeros of these sizes with the given diagonal.
Tensor with_diagonal(const Tensor& elements, Sizes sizes, int64_t offset, int64_t dim1,
                     int64_t dim2) {
  const Tensor whole = call_zeros(sizes, options_like(kind_of(elements), {}));
  Tensor part = diagonal_of(whole, offset, dim1, dim2);
  call_copy(part, elements);
  return whole;
}

}  // namespace

void diagonal_view(View& view, const Call& call) {
  const auto offset = call.get<int64_t>(1);
  const int64_t dim1 = wrap_dim(call.op(), call.get<int64_t>(2), view.ndim());
  const int64_t dim2 = wrap_dim(call.op(), call.get<int64_t>(3), view.ndim());
  if (dim1 == dim2) fail_argument(call.op(), "dim2", "different from dim1", dim2);
  const int64_t rows = view.sizes[dim1] + std::min<int64_t>(offset, 0);
  const int64_t columns = view.sizes[dim2] - std::max<int64_t>(offset, 0);
  const int64_t size = std::max<int64_t>(std::min(rows, columns), 0);
  if (size > 0)
    view.offset += offset < 0 ? -offset * view.strides[dim1] : offset * view.strides[dim2];
  const int64_t stride = wrapped_sum(view.strides[dim1], view.strides[dim2]);
  view.remove(std::max(dim1, dim2));
  view.remove(std::min(dim1, dim2));
  view.sizes.push_back(size);
  view.strides.push_back(stride);
}

void diagonal_backward(const Call& call) {
  call.give(0, with_diagonal(call.get<Tensor>(0), call.get<Sizes>(1), call.get<int64_t>(2),
                             call.get<int64_t>(3), call.get<int64_t>(4)));
}

void diag_embed(const Call& call) {
  const Tensor self = *call.get<Tensor>(0);
  const auto offset = call.get<int64_t>(1);
  if (self.ndim() == 0) fail_argument(call.op(), "self", "have at least 1 dim", self.sizes());
  const int64_t dim1 = wrap_dim(call.op(), call.get<int64_t>(2), self.ndim() + 1);
  const int64_t dim2 = wrap_dim(call.op(), call.get<int64_t>(3), self.ndim() + 1);
  if (dim1 == dim2) fail_argument(call.op(), "dim2", "different from dim1", dim2);
  const CheckedSize elements(call.op(), self.sizes().back());
  const int64_t size = (offset < 0 ? elements - offset : elements + offset).value();
  Dims sizes(self.sizes());
  sizes.erase(sizes.size() - 1);
  sizes.insert(std::min(dim1, dim2), size);
  sizes.insert(std::max(dim1, dim2), size);
  call.give(0, with_diagonal(self, sizes, offset, dim1, dim2));
}

void diag(const Call& call) {
  using Embed = Tensor(const Tensor&, int64_t, int64_t, int64_t);
  static constinit const LazyOp<Embed> embed("aten::diag_embed");
  static constinit const LazyOp<Embed> copied("aten::diagonal_copy");
  const Tensor self = *call.get<Tensor>(0);
  const auto diagonal = call.get<int64_t>(1);
  if (self.ndim() != 1 && self.ndim() != 2) {
    fail_argument(call.op(), "self", "a vector (1 dim) or a matrix", self.sizes());
  }
  call.give(0, self.ndim() == 1 ? embed(self, diagonal, -2, -1) : copied(self, diagonal, 0, 1));
}

}  // namespace tenon::kernels::ops
