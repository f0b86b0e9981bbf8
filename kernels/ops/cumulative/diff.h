// SPDX-License-Identifier: Apache-2.0
// aten::diff: differences of adjacent elements along a dim; aten::trapezoid: the area below them,
// and aten::cumulative_trapezoid: the area up to each.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void diff(const Call& call);

inline constexpr Facts kDiff{
    .family = &kComposite,
    .name = "diff",
    .params = "Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&diff},
};

void trapezoid_x(const Call& call);

inline constexpr Facts kTrapezoidX{
    .family = &kComposite,
    .name = "trapezoid.x",
    .params = "Tensor y, Tensor x, *, int dim=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&trapezoid_x},
};

void trapezoid_dx(const Call& call);

inline constexpr Facts kTrapezoidDx{
    .family = &kComposite,
    .name = "trapezoid.dx",
    .params = "Tensor y, *, Scalar dx=1, int dim=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&trapezoid_dx},
};

inline constexpr Facts kTrapzX{
    .family = &kComposite,
    .name = "trapz.x",
    .params = "Tensor y, Tensor x, *, int dim=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&trapezoid_x},
};

inline constexpr Facts kTrapzDx{
    .family = &kComposite,
    .name = "trapz.dx",
    .params = "Tensor y, *, float dx=1., int dim=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&trapezoid_dx},
};

void cumulative_trapezoid_x(const Call& call);

inline constexpr Facts kCumulativeTrapezoidX{
    .family = &kComposite,
    .name = "cumulative_trapezoid.x",
    .params = "Tensor y, Tensor x, *, int dim=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cumulative_trapezoid_x},
};

void cumulative_trapezoid_dx(const Call& call);

inline constexpr Facts kCumulativeTrapezoidDx{
    .family = &kComposite,
    .name = "cumulative_trapezoid.dx",
    .params = "Tensor y, *, Scalar dx=1, int dim=-1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&cumulative_trapezoid_dx},
};

}  // namespace tenon::kernels::ops
