// SPDX-License-Identifier: Apache-2.0
// aten::minimum: the smaller of two elements; NaN where either is NaN.
#include "kernels/ops/binary.h"

namespace tenon::kernels {
namespace {

void check_minimum(const char* op, Dtype, Dtype, Dtype common) {
  check_dtype(op, "self", common, Joined<BoolType, RealTypes>());
}

}  // namespace

constexpr BinaryFacts kMinimum{.tensor = "aten::minimum", .check = &check_minimum};

void register_minimum(Library& aten) {
  aten.def("minimum(Tensor self, Tensor other) -> Tensor", {"core", "pointwise"});
  aten.impl("minimum", TENON_KEY_META, &binary_meta<kMinimum>, quick("binary_meta"));
}

}  // namespace tenon::kernels
