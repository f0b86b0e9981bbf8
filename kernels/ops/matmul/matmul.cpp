// SPDX-License-Identifier: Apache-2.0
// Implements aten::matmul by calling other operators.
#include "kernels/ops/matmul/matmul.h"

#include "kernels/common/call.h"
#include "kernels/common/checked_size.h"
#include "kernels/common/shape.h"

namespace tenon::kernels::ops {
namespace {

using Binary = LazyOp<Tensor(const Tensor&, const Tensor&)>;
using WithSizes = LazyOp<Tensor(const Tensor&, Sizes)>;
using WithDim = LazyOp<Tensor(const Tensor&, int64_t)>;

constinit const Binary mm("aten::mm");
constinit const Binary bmm("aten::bmm");
constinit const WithSizes reshape("aten::reshape");
constinit const WithSizes unsafe_view("aten::_unsafe_view");
constinit const WithDim unsqueeze("aten::unsqueeze");
constinit const WithDim squeeze("aten::squeeze.dim");
constinit const LazyOp<Tensor(const Tensor&, Sizes, bool)> expand("aten::expand");

// Returns true if the leading dims are contiguous, so that a batch of rows is one tall matrix.
bool folds(Sizes sizes, Sizes strides) {
  if (numel_of(sizes) == 0) return true;
  for (size_t i = 0; i + 2 < sizes.size(); ++i) {
    if (strides[i] != wrapped_product(strides[i + 1], sizes[i + 1])) return false;
  }
  return true;
}

// Multiplies a batch of rows by one matrix or vector.
Tensor folded(const Tensor& self, const Tensor& other) {
  const Sizes sizes = self.sizes();
  Dims result(sizes.first(sizes.size() - 1));
  const Dims tall{numel_of(result), sizes.back()};
  const Tensor rows = reshape(self, tall);
  if (other.ndim() == 1) {
    const Tensor product = mm(rows, unsqueeze(other, 1));
    return unsafe_view(product, result);
  }
  result.push_back(other.size(1));
  return unsafe_view(mm(rows, other), result);
}

// Multiplies both sides as batches with the same number of matrices.
Tensor batched(const Tensor& self, const Tensor& other) {
  const Sizes a = self.sizes();
  const Sizes b = other.sizes();
  const bool vector_a = a.size() == 1;
  const bool vector_b = b.size() == 1;
  const Dims batch = broadcast("aten::matmul", a.first(vector_a ? 0 : a.size() - 2),
                               b.first(vector_b ? 0 : b.size() - 2));
  const int64_t count = numel_of(batch);
  const auto expanded = [&](const Tensor& tensor, int64_t rows, int64_t columns) {
    Dims sizes = batch;
    sizes.push_back(rows);
    sizes.push_back(columns);
    return reshape(expand(tensor, sizes, false), Dims{count, rows, columns});
  };
  const int64_t rows = vector_a ? 1 : a[a.size() - 2];
  const int64_t columns = vector_b ? 1 : b.back();
  const Tensor left = expanded(self, rows, a.back());
  const Tensor right = expanded(vector_b ? unsqueeze(other, 1) : other,
                                vector_b ? b.back() : b[b.size() - 2], columns);
  Dims result = batch;
  if (!vector_a) result.push_back(rows);
  if (!vector_b) result.push_back(columns);
  return unsafe_view(bmm(left, right), result);
}

Tensor product(const Tensor& self, const Tensor& other) {
  const tenon_tensor_info a = self.info();
  const tenon_tensor_info b = other.info();
  if (a.ndim == 0 || b.ndim == 0) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {"aten::matmul: self and other must have at least 1 dim, got sizes ", sizes_of(a), " and ",
          sizes_of(b)});
  }
  if (a.sizes[a.ndim - 1] != b.sizes[b.ndim == 1 ? 0 : b.ndim - 2]) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {"aten::matmul: other must have as many rows as self has columns, got sizes ", sizes_of(a),
          " and ", sizes_of(b)});
  }
  if (a.ndim <= 2 && b.ndim <= 2) {
    Tensor product =
        mm(a.ndim == 1 ? unsqueeze(self, 0) : self, b.ndim == 1 ? unsqueeze(other, 1) : other);
    if (b.ndim == 1) product = squeeze(product, 1);
    if (a.ndim == 1) product = squeeze(product, 0);
    return product;
  }
  if (b.ndim <= 2 && folds(sizes_of(a), strides_of(a))) return folded(self, other);
  return batched(self, other);
}

}  // namespace

void matmul(const Call& call) { call.give(0, product(call.get<Tensor>(0), call.get<Tensor>(1))); }

}  // namespace tenon::kernels::ops
