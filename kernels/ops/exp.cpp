// SPDX-License-Identifier: Apache-2.0
// aten::exp: e to the power of each element.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kExp{
    .name = "aten::exp",
    .schema = "exp(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_exp(Library& aten) { define_unary<kExp>(aten); }

}  // namespace tenon::kernels
