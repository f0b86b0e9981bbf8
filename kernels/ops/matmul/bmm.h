// SPDX-License-Identifier: Apache-2.0
// aten::bmm: the products of two batches of matrices.
#pragma once

#include "kernels/ops/matmul/mm.h"

namespace tenon::kernels::ops {

inline void bmm_meta(const Call& call) {
  Product product(call, 1);
  end_product(call, product);
}

inline constexpr Facts kBmm{
    .family = &kRoutine,
    .name = "bmm",
    .params = "Tensor self, Tensor mat2",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "self: grad.bmm(mat2.transpose(1, 2).conj()); mat2: self.transpose(1, 2).conj().bmm(grad)",
    .tangent = "self_t.bmm(mat2) + self.bmm(mat2_t)",
    .batching = Batching::Product,
    .cast = Cast::Lower,
    .routine = {&bmm_meta},
};

inline void bmm_dtype(const Call& call) { call.give(0, product_as(call, 1)); }

inline constexpr Facts kBmmDtype{
    .family = &kExplicit,
    .name = "bmm.dtype",
    .params = "Tensor self, Tensor mat2, ScalarType out_dtype",
    .forms = kFunctional | kOut,
    .out = "dtype_out",
    .tags = "",
    .gradient = "missing: PyTorch has none",
    .tangent = "missing: PyTorch has none",
    .batching = Batching::Product,
    .cast = Cast::None,
    .routine = {&bmm_dtype},
};

}  // namespace tenon::kernels::ops
