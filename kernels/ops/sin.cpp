// SPDX-License-Identifier: Apache-2.0
// aten::sin: the sine of each element, in radians.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kSin{
    .name = "aten::sin",
    .schema = "sin(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_sin(Library& aten) { define_unary<kSin>(aten); }

}  // namespace tenon::kernels
