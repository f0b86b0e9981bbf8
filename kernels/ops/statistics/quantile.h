// SPDX-License-Identifier: Apache-2.0
// aten::quantile: elements below which a given fraction of all elements is; aten::nanquantile:
// ignoring NaN.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void quantile(const Call& call);

inline constexpr Facts kQuantile{
    .family = &kComposite,
    .name = "quantile",
    .params =
        "Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\"",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&quantile},
};

void quantile_scalar(const Call& call);

inline constexpr Facts kQuantileScalar{
    .family = &kComposite,
    .name = "quantile.scalar",
    .params =
        "Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\"",
    .forms = kFunctional | kOut,
    .out = "scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&quantile_scalar},
};

void nanquantile(const Call& call);

inline constexpr Facts kNanquantile{
    .family = &kComposite,
    .name = "nanquantile",
    .params =
        "Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\"",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&nanquantile},
};

void nanquantile_scalar(const Call& call);

inline constexpr Facts kNanquantileScalar{
    .family = &kComposite,
    .name = "nanquantile.scalar",
    .params =
        "Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\"",
    .forms = kFunctional | kOut,
    .out = "scalar_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&nanquantile_scalar},
};

}  // namespace tenon::kernels::ops
