// SPDX-License-Identifier: Apache-2.0
// aten::bmm: the products of two batches of matrices, one by one.
#pragma once

#include "kernels/ops/mm.h"

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
    .gradient = "self: grad.bmm(mat2.mT().conj()); mat2: self.mT().conj().bmm(grad)",
    .tangent = "self_t.bmm(mat2) + self.bmm(mat2_t)",
    .batching = Batching::Product,
    .cast = Cast::Lower,
    .routine = {&bmm_meta},
};

}  // namespace tenon::kernels::ops
