// SPDX-License-Identifier: Apache-2.0
// aten::_foreach_copy, _foreach_clone, _foreach_zero, _foreach_norm, _foreach_powsum, _foreach_max
// and _foreach_mm: operators applied to each tensor of a list.
#pragma once

#include "kernels/ops/foreach/each.h"

namespace tenon::kernels::ops {

inline constexpr Facts kForeachClone{
    .family = &kComposite,
    .name = "_foreach_clone",
    .params = "Tensor[] self, *, MemoryFormat? memory_format=None",
    .returns = "Tensor[]",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"clone", "clone">},
};

inline constexpr Facts kForeachMax{
    .family = &kComposite,
    .name = "_foreach_max",
    .params = "Tensor[] self",
    .returns = "Tensor[]",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"max", "max">},
};

inline constexpr Facts kForeachMm{
    .family = &kComposite,
    .name = "_foreach_mm",
    .params = "Tensor[] self, Tensor[] mat2",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"mm", "mm">},
};

void foreach_norm(const Call& call);

inline constexpr Facts kForeachNormScalar{
    .family = &kComposite,
    .name = "_foreach_norm.Scalar",
    .params = "Tensor[] self, Scalar ord=2, ScalarType? dtype=None",
    .returns = "Tensor[]",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&foreach_norm},
};

void foreach_powsum(const Call& call);

inline constexpr Facts kForeachPowsumScalar{
    .family = &kComposite,
    .name = "_foreach_powsum.Scalar",
    .params = "Tensor[] self, Scalar ord=2, ScalarType? dtype=None",
    .returns = "Tensor[]",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&foreach_powsum},
};

inline constexpr Facts kForeachCopy{
    .family = &kComposite,
    .name = "_foreach_copy",
    .params = "Tensor[] self, Tensor[] src, bool non_blocking=False",
    .returns = "Tensor[] self_out",
    .forms = kAllForms,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"copy", "copy_">},
};

inline constexpr Facts kForeachZero{
    .family = &kComposite,
    .name = "_foreach_zero",
    .params = "Tensor[] self",
    .returns = "Tensor[] self_out",
    .forms = kAllForms,
    .tags = "generated",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&for_each_tensor<"zero", "zero_">},
};

}  // namespace tenon::kernels::ops
