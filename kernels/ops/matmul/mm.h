// SPDX-License-Identifier: Apache-2.0
// aten::mm: the product of two matrices; helpers shared with aten::bmm.
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {

// Checks dims, sizes, devices and dtypes of both factors, with `batch` leading dims. Returns the
// sizes of the product.
Dims product_sizes(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b,
                   int32_t batch);

// One product: its factors, and a separate row-major tensor for the result.
struct Product {
  tenon_tensor_info a;
  tenon_tensor_info b;
  Tensor result;
  // The call's `out`, if it is strided or shares memory with a factor: the result has to be copied
  // there.
  Tensor copy_to;
  // The tensors of `a` and `b`, if the call has an `out`.
  Tensor factors[2];

  Product(const Call& call, int32_t batch);
  Dtype dtype() const { return dtype_of_info(a); }
};

// Calls aten::mm or bmm with a result of the dtype in argument 2.
Tensor product_as(const Call& call, int32_t batch);

// Returns the result. On Meta nothing was computed.
void end_product(const Call& call, Product& product);

namespace ops {

inline void mm_meta(const Call& call) {
  Product product(call, 0);
  end_product(call, product);
}

inline constexpr Facts kMm{
    .family = &kRoutine,
    .name = "mm",
    .params = "Tensor self, Tensor mat2",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: grad.mm(mat2.t().conj()); mat2: self.t().conj().mm(grad)",
    .tangent = "self_t.mm(mat2) + self.mm(mat2_t)",
    .batching = Batching::Product,
    .cast = Cast::Lower,
    .routine = {&mm_meta},
};

// Supports float32 results of float16 and bfloat16, or the factors' dtype.
void mm_dtype(const Call& call);

inline constexpr Facts kMmDtype{
    .family = &kExplicit,
    .name = "mm.dtype",
    .params = "Tensor self, Tensor mat2, ScalarType out_dtype",
    .forms = kFunctional | kOut,
    .out = "dtype_out",
    .tags = "",
    .gradient = "missing: PyTorch has none",
    .tangent = "missing: PyTorch has none",
    .batching = Batching::Product,
    .cast = Cast::None,
    .routine = {&mm_dtype},
};

}  // namespace ops

}  // namespace tenon::kernels
