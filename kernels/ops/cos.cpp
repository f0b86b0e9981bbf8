// SPDX-License-Identifier: Apache-2.0
// aten::cos: the cosine of each element, in radians.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kCos{
    .name = "aten::cos",
    .schema = "cos(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_cos(Library& aten) { define_unary<kCos>(aten); }

}  // namespace tenon::kernels
