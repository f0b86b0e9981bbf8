// SPDX-License-Identifier: Apache-2.0
// aten::gt: whether elements of self are greater than those of other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kGt{.tensor = "aten::gt.Tensor", .bool_result = true};

void register_gt(Library& aten) { define_comparison<kGt>(aten, "gt"); }

}  // namespace tenon::kernels
