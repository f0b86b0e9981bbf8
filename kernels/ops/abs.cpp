// SPDX-License-Identifier: Apache-2.0
// aten::abs: the absolute value of each element; a complex number's is real.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kAbs{
    .name = "aten::abs", .schema = "abs(Tensor self) -> Tensor", .complex_to_real = true};

void register_abs(Library& aten) { define_unary<kAbs>(aten); }

}  // namespace tenon::kernels
