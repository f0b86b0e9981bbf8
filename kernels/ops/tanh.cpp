// SPDX-License-Identifier: Apache-2.0
// aten::tanh: the hyperbolic tangent of each element.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kTanh{
    .name = "aten::tanh",
    .schema = "tanh(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_tanh(Library& aten) { define_unary<kTanh>(aten); }

}  // namespace tenon::kernels
