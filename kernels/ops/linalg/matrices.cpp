// SPDX-License-Identifier: Apache-2.0
// Checks and shapes of batches of matrices.
#include "kernels/ops/linalg/matrices.h"

#include "kernels/common/facts.h"

namespace tenon::kernels {

void check_matrices(const char* op, const char* argument, const Tensor& tensor) {
  constexpr DtypeSet kTypes =
      dtypes(TENON_DTYPE_F32, TENON_DTYPE_F64, TENON_DTYPE_C64, TENON_DTYPE_C128);
  if (tensor.ndim() < 2) {
    fail_argument(op, argument, "have at least 2 dims", tensor.sizes());
  }
  if (!has(kTypes, static_cast<tenon_dtype>(tensor.dtype()))) {
    fail_dtype(op, argument, tensor.dtype(), "float32, float64, complex64, complex128");
  }
}

void check_square_matrices(const char* op, const char* argument, const Tensor& tensor) {
  check_matrices(op, argument, tensor);
  if (tensor.size(-1) != tensor.size(-2)) {
    fail_argument(op, argument, "square matrices", tensor.sizes());
  }
}

Dims column_major_strides(Sizes sizes) {
  Dims strides = row_major_strides(sizes);
  const auto rank = static_cast<int64_t>(sizes.size());
  strides[rank - 2] = 1;
  strides[rank - 1] = std::max<int64_t>(sizes[static_cast<size_t>(rank - 2)], 1);
  return strides;
}

Dims batch_sizes(Sizes sizes, std::initializer_list<int64_t> last) {
  Dims batch(sizes.first(sizes.size() - 2));
  for (const int64_t size : last) batch.push_back(size);
  return batch;
}

Tensor turned_alias(const Tensor& tensor) {
  Dims sizes(tensor.sizes()), strides(tensor.strides());
  const int64_t rank = sizes.size();
  std::swap(sizes[rank - 1], sizes[rank - 2]);
  std::swap(strides[rank - 1], strides[rank - 2]);
  return tensor.alias(sizes, strides, tensor.info().storage_offset);
}

Tensor column_alias(const Tensor& tensor) {
  Dims sizes(tensor.sizes()), strides(tensor.strides());
  sizes.push_back(1);
  strides.push_back(1);
  return tensor.alias(sizes, strides, tensor.info().storage_offset);
}

Tensor expanded_alias(const Tensor& tensor, Sizes sizes) {
  Dims strides = Dims::filled(static_cast<int64_t>(sizes.size()), 0);
  const int64_t missing = strides.size() - tensor.ndim();
  for (int64_t dim = 0; dim < tensor.ndim(); ++dim) {
    const bool is_stretched =
        tensor.size(dim) == 1 && sizes[static_cast<size_t>(dim + missing)] != 1;
    if (!is_stretched) strides[dim + missing] = tensor.strides()[static_cast<size_t>(dim)];
  }
  return tensor.alias(sizes, strides, tensor.info().storage_offset);
}

bool is_plain(const Tensor& tensor) {
  // Functionality bits are above the 24 backend bits. Those from Autograd on are layers; of these,
  // Autocast only casts.
  constexpr tenon_keyset kBelow = (tenon_keyset{1} << (24 + 22)) - 1;
  constexpr tenon_keyset kAutocast = tenon_keyset{1} << (24 + 27);
  return (tensor.keys() & ~(kBelow | kAutocast)) == 0;
}

Tensor call_triu(const Tensor& self, int64_t diagonal) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> op("aten::triu");
  return op(self, diagonal);
}

Tensor call_tril(const Tensor& self, int64_t diagonal) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t)> op("aten::tril");
  return op(self, diagonal);
}

Tensor call_diag_embed(const Tensor& self) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, int64_t, int64_t)> op(
      "aten::diag_embed");
  return op(self, 0, -2, -1);
}

Tensor call_solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left,
                             bool unitriangular) {
  static constinit const LazyOp<Tensor(const Tensor&, const Tensor&, bool, bool, bool)> op(
      "aten::linalg_solve_triangular");
  return op(a, b, upper, left, unitriangular);
}

}  // namespace tenon::kernels
