// SPDX-License-Identifier: Apache-2.0
// aten::log: the natural logarithm of each element; -inf for 0, NaN below.
#include "kernels/ops/unary.h"

namespace tenon::kernels {

const UnaryFacts kLog{
    .name = "aten::log",
    .schema = "log(Tensor self) -> Tensor",
    .promotion = Promotion::CommonFloat,
};

void register_log(Library& aten) { define_unary<kLog>(aten); }

}  // namespace tenon::kernels
