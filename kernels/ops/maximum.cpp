// SPDX-License-Identifier: Apache-2.0
// aten::maximum: the larger of two elements; NaN where either is NaN.
#include "kernels/ops/binary.h"

namespace tenon::kernels {
namespace {

void check_maximum(const char* op, Dtype, Dtype, Dtype common) {
  check_dtype(op, "self", common, Joined<BoolType, RealTypes>());
}

}  // namespace

constexpr BinaryFacts kMaximum{.tensor = "aten::maximum", .check = &check_maximum};

void register_maximum(Library& aten) {
  aten.def("maximum(Tensor self, Tensor other) -> Tensor", {"core", "pointwise"});
  aten.impl("maximum", TENON_KEY_META, &binary_meta<kMaximum>, quick("binary_meta"));
}

}  // namespace tenon::kernels
