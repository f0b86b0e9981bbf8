// SPDX-License-Identifier: Apache-2.0
// aten::sqrt: the square root of each element; NaN below 0.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kSqrt{
    .name = "aten::sqrt",
    .schema = "sqrt(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_sqrt(Library& aten) { define_unary<kSqrt>(aten); }

}  // namespace tenon::kernels
