// SPDX-License-Identifier: Apache-2.0
// aten::ne: whether elements of self differ from those of other.
#include "kernels/ops/binary.h"

namespace tenon::kernels {

constexpr BinaryFacts kNe{.tensor = "aten::ne.Tensor", .bool_result = true};

void register_ne(Library& aten) { define_comparison<kNe>(aten, "ne"); }

}  // namespace tenon::kernels
