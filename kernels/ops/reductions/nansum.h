// SPDX-License-Identifier: Apache-2.0
// aten::nansum: sums of elements that are not NaN; aten::nanmean: their means.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void nansum(const Call& call);

inline constexpr Facts kNansum{
    .family = &kComposite,
    .name = "nansum",
    .params = "Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .tags = "reduction",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&nansum, /*writes_out=*/true},
};

void nanmean(const Call& call);

inline constexpr Facts kNanmean{
    .family = &kComposite,
    .name = "nanmean",
    .params = "Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&nanmean},
};

}  // namespace tenon::kernels::ops
