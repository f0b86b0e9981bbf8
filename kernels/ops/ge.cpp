// SPDX-License-Identifier: Apache-2.0
// aten::ge: whether elements of self are greater than or equal to those of other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kGe{.tensor = "aten::ge.Tensor", .bool_result = true};

void register_ge(Library& aten) { define_comparison<kGe>(aten, "ge"); }

}  // namespace tenon::kernels
