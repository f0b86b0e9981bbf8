// SPDX-License-Identifier: Apache-2.0
// aten::neg: the negative of each element; unsigned integers wrap.
#include "kernels/ops/unary.h"

namespace tenon::kernels {
namespace {

void check_neg(const char* op, Dtype dtype) {
  if (dtype == Dtype::Bool) {
    fail(TENON_ERROR_NOT_SUPPORTED,
         {op, ": not supported for dtype bool: self must be a number; logical not inverts a mask"});
  }
}

}  // namespace

const UnaryFacts kNeg{
    .name = "aten::neg", .schema = "neg(Tensor self) -> Tensor", .check = &check_neg};

void register_neg(Library& aten) { define_unary<kNeg>(aten); }

}  // namespace tenon::kernels
