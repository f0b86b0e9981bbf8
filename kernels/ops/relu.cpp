// SPDX-License-Identifier: Apache-2.0
// aten::relu: each element, or 0 where it is negative; NaN stays.
#include "kernels/ops/unary.h"

namespace tenon::kernels {
namespace {

void check_relu(const char* op, Dtype dtype) { check_dtype(op, "self", dtype, RealTypes()); }

}  // namespace

const UnaryFacts kRelu{
    .name = "aten::relu", .schema = "relu(Tensor self) -> Tensor", .check = &check_relu};

void register_relu(Library& aten) { define_unary<kRelu>(aten); }

}  // namespace tenon::kernels
