// SPDX-License-Identifier: Apache-2.0
// aten::eq: whether elements of self are equal to those of other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kEq{.tensor = "aten::eq.Tensor", .bool_result = true};

void register_eq(Library& aten) { define_comparison<kEq>(aten, "eq"); }

}  // namespace tenon::kernels
