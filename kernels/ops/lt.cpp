// SPDX-License-Identifier: Apache-2.0
// aten::lt: whether elements of self are less than those of other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kLt{.tensor = "aten::lt.Tensor", .bool_result = true};

void register_lt(Library& aten) { define_comparison<kLt>(aten, "lt"); }

}  // namespace tenon::kernels
