// SPDX-License-Identifier: Apache-2.0
// aten::cumsum: running sums along a dim.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Returns a new result of a running sum or product, or the call's `out`, and wraps `dim`.
Tensor running_result(const Call& call, int64_t& dim);

namespace ops {

void cumsum_meta(const Call& call);

inline constexpr Facts kCumsum{
    .family = &kRoutine,
    .name = "cumsum",
    .params = "Tensor self, int dim, *, ScalarType? dtype=None",
    .forms = kAllForms,
    .tags = "core",
    .gradient = "self: grad.flip([dim]).cumsum(dim).flip([dim])",
    .tangent = "cumsum(self_t, dim, dtype=dtype)",
    .batching = Batching::Shift,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&cumsum_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
