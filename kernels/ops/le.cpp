// SPDX-License-Identifier: Apache-2.0
// aten::le: whether elements of self are less than or equal to those of other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kLe{.tensor = "aten::le.Tensor", .bool_result = true};

void register_le(Library& aten) { define_comparison<kLe>(aten, "le"); }

}  // namespace tenon::kernels
