// SPDX-License-Identifier: Apache-2.0
// aten::sigmoid: 1 / (1 + exp(-x)) of each element.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kSigmoid{
    .name = "aten::sigmoid",
    .schema = "sigmoid(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_sigmoid(Library& aten) { define_unary<kSigmoid>(aten); }

}  // namespace tenon::kernels
