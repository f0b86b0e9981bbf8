// SPDX-License-Identifier: Apache-2.0
// Implements tenon::strided_scatter by calling other operators.
#include "kernels/ops/views/strided_scatter.h"

#include <algorithm>

#include "kernels/common/call.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/promotion.h"
#include "kernels/common/shape.h"
#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/factories/filled_like.h"

namespace tenon::kernels::ops {
namespace {

// Returns zeros to which a gradient may be added in place. A vmap does not allow writing mapped
// values to an unmapped tensor, so for a transformed tensor the zeros are computed from it.
Tensor zeros_beside(const Tensor& grad, int64_t count) {
  constexpr tenon_keyset kTransformed =
      tenon_keyset{1} << (TENON_BACKEND_BITS + TENON_FUNCTIONALITY_TRANSFORM_BACK);
  if ((grad.keys() & kTransformed) == 0 || numel_of(grad) == 0) {
    return call_zeros(Dims{count}, options_like(kind_of(grad), {}));
  }
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> expand("aten::expand");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  Tensor one = grad;
  while (one.ndim() != 0) one = select(one, 0, 0);
  return clone(expand(call_zeros_like(one), Dims{count}, false), MemoryFormat::Contiguous);
}

// Returns a dim whose elements may overlap those of others; -1 if there is none.
int64_t overlapping_dim(const Dims& sizes, const Dims& strides) {
  Dims order;
  for (int64_t dim = 0; dim < sizes.size(); ++dim) {
    if (sizes[dim] > 1) order.push_back(dim);
  }
  std::sort(order.begin(), order.end(),
            [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t covered = 1;
  for (const int64_t dim : order) {
    if (strides[dim] < covered) return dim;
    covered += (sizes[dim] - 1) * strides[dim];
  }
  return -1;
}

void add_strided(const Tensor& memory, const Tensor& grad, Dims sizes, Dims strides,
                 int64_t offset) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, Sizes, std::optional<int64_t>)>
      as_strided("aten::as_strided");
  static constinit const LazyOp<void(const Tensor&, const Tensor&, const Scalar&)> add(
      "aten::add_.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      sum("aten::sum.dim_IntList");
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t)> select("aten::select.int");
  const int64_t dim = overlapping_dim(sizes, strides);
  if (dim < 0) {
    add(as_strided(memory, sizes, strides, offset), grad, Scalar(int64_t{1}));
    return;
  }
  const int64_t size = sizes[dim];
  const int64_t stride = strides[dim];
  sizes.erase(dim);
  strides.erase(dim);
  if (stride == 0) {
    return add_strided(memory, sum(grad, Dims{dim}, false, std::nullopt), sizes, strides, offset);
  }
  for (int64_t i = 0; i < size; ++i) {
    add_strided(memory, select(grad, dim, i), sizes, strides, offset + i * stride);
  }
}

// If several elements of the base share memory, each gets its share of the gradient.
Tensor shared_out(const Tensor& memory, const Dims& sizes, const Dims& strides, int64_t offset) {
  if (overlapping_dim(sizes, strides) < 0) return memory;
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> div("aten::div.Tensor");
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&)> maximum("aten::maximum");
  const auto full = [&](Sizes of, int64_t number) {
    FactoryOptions options = options_like(kind_of(memory), {});
    options.dtype = Dtype::F32;
    Tensor made = call_zeros(of, options);
    if (number != 0) call_fill(made, Scalar(number));
    return made;
  };
  const Tensor count = full(memory.sizes(), 0);
  add_strided(count, full(sizes, 1), sizes, strides, offset);
  const Tensor least =
      maximum(count, full(memory.sizes(), 1));  // memory that the base does not show is unchanged
  return div(memory, cast(least, memory.dtype()));
}

// Refuses an invalid view. Returns the number of elements of memory before its end.
int64_t checked_end(const Call& call, int k, Sizes sizes, Sizes strides, int64_t offset) {
  const bool are_as_many = sizes.size() == strides.size();
  if (!are_as_many) fail_argument(call.op(), call.form.names[k + 1], "as many as sizes", strides);
  CheckedSize last(call.op(), offset);
  bool is_empty = false;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] < 0) fail_argument(call.op(), call.form.names[k], "have no negative size", sizes);
    if (strides[d] < 0) fail_argument(call.op(), call.form.names[k + 1], ">= 0", strides);
    is_empty = is_empty || sizes[d] == 0;
    if (sizes[d] > 0) last = last + CheckedSize(call.op(), sizes[d] - 1) * strides[d];
  }
  if (offset < 0) fail_argument(call.op(), call.form.names[k + 2], ">= 0", offset);
  return is_empty ? offset : (last + 1).value();
}

}  // namespace

void strided_scatter(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes, Sizes, std::optional<int64_t>)>
      as_strided("aten::as_strided");
  const auto grad = call.get<Tensor>(0);
  const Dims sizes(call.get<Sizes>(1));
  const Dims strides(call.get<Sizes>(2));
  const auto offset = call.get<int64_t>(3);
  const Dims base_sizes(call.get<Sizes>(4));
  const Dims base_strides(call.get<Sizes>(5));
  const auto base_offset = call.get<int64_t>(6);
  const int64_t first = std::min(offset, base_offset);
  const int64_t end = std::max(checked_end(call, 1, sizes, strides, offset),
                               checked_end(call, 4, base_sizes, base_strides, base_offset));
  const Tensor memory = zeros_beside(grad, end - first);
  if (numel_of(*grad) != 0) add_strided(memory, grad, sizes, strides, offset - first);
  const Tensor found = shared_out(memory, base_sizes, base_strides, base_offset - first);
  call.give(0, as_strided(found, base_sizes, base_strides, base_offset - first));
}

}  // namespace tenon::kernels::ops
