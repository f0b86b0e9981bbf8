// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::mm and aten::bmm, and the destination of their results.
#include "kernels/ops/matmul/mm.h"

#include "kernels/common/allocation.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels {
namespace {

tenon_tensor_info describe(const tenon_tensor* tensor) {
  tenon_tensor_info info;
  check(tenon_tensor_describe(tensor, &info));
  return info;
}

// If a factor is the call's `out`, resizing changes its metadata: returns the original metadata on
// the same memory.
Tensor kept_factor(const Call& call, int k, const tenon_tensor_info& info) {
  if (call.written() != call.tensor(k)) return Tensor::retain(call.tensor(k));
  tenon_tensor* kept = nullptr;
  check(tenon_tensor_new_detached(call.tensor(k), info.ndim, info.sizes, info.strides,
                                  info.storage_offset, &kept));
  return Tensor(kept);
}

}  // namespace

Dims product_sizes(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b,
                   int32_t batch) {
  const std::string_view expected = batch == 0 ? "a matrix" : "a batch of matrices (3 dims)";
  if (a.ndim != batch + 2) fail_argument(op, "self", expected, sizes_of(a));
  if (b.ndim != batch + 2) fail_argument(op, "mat2", expected, sizes_of(b));
  if (a.dtype != b.dtype) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": mat2 must be ", dtype_of_info(a), " like self, got ", dtype_of_info(b)});
  }
  if (!(Device(a.device) == Device(b.device))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": mat2 must be on ", Device(a.device), " like self, got ", Device(b.device)});
  }
  if (a.sizes[batch + 1] != b.sizes[batch] || (batch == 1 && a.sizes[0] != b.sizes[0])) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": mat2 must have as many rows as self has columns",
                                        batch == 1 ? ", and as many matrices" : "", ", got sizes ",
                                        sizes_of(a), " and ", sizes_of(b)});
  }
  Dims sizes(sizes_of(a));
  sizes[batch + 1] = b.sizes[batch + 1];
  return sizes;
}

Product::Product(const Call& call, int32_t batch)
    : a(describe(call.tensor(0))), b(describe(call.tensor(1))) {
  const Dims sizes = product_sizes(call.op(), a, b, batch);
  if (call.form.is_functional()) {
    result = result_for(call, sizes, dtype(), Device(a.device));
    return;
  }
  factors[0] = kept_factor(call, 0, a);
  factors[1] = kept_factor(call, 1, b);
  result = result_for(call, sizes, dtype(), Device(a.device));
  const tenon_storage* own = tenon_tensor_storage(result.get());
  const bool apart =
      own != tenon_tensor_storage(call.tensor(0)) && own != tenon_tensor_storage(call.tensor(1));
  if (apart && has_row_major_strides(result.info())) return;
  // Resizing `out` may have moved the memory of a factor.
  a = describe(factors[0].get());
  b = describe(factors[1].get());
  copy_to = std::move(result);
  result = allocate(sizes, dtype(), Device(a.device));
}

Tensor product_as(const Call& call, int32_t batch) {
  using Product = Tensor(const Tensor&, const Tensor&);
  static constinit const LazyOp<Product> products[] = {LazyOp<Product>("aten::mm"),
                                                       LazyOp<Product>("aten::bmm")};
  const Tensor self = *call.get<Tensor>(0);
  const Tensor mat2 = *call.get<Tensor>(1);
  const auto asked = call.get<Dtype>(2);
  const Dtype own = self.dtype();
  product_sizes(call.op(), self.info(), mat2.info(), batch);
  if (asked == own) return products[batch](self, mat2);
  if (asked != Dtype::F32 || (own != Dtype::F16 && own != Dtype::BF16)) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": out_dtype must be ", own,
          " like the factors, or float32 for float16 and bfloat16, got ", asked});
  }
  return products[batch](cast(self, asked), cast(mat2, asked));
}

void end_product(const Call& call, Product& product) {
  if (call.form.is_functional()) call.give(0, std::move(product.result));
}

namespace ops {

void mm_dtype(const Call& call) { call.give(0, product_as(call, 0)); }

}  // namespace ops

}  // namespace tenon::kernels
