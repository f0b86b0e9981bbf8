// SPDX-License-Identifier: Apache-2.0
// aten::atleast_1d, atleast_2d and atleast_3d: a view with at least this number of dims;
// aten::hstack, vstack, dstack and column_stack, which join such views.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void atleast_1d(const Call& call);

inline constexpr Facts kAtleast1d{
    .family = &kComposite,
    .name = "atleast_1d",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&atleast_1d},
};

void atleast_2d(const Call& call);

inline constexpr Facts kAtleast2d{
    .family = &kComposite,
    .name = "atleast_2d",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&atleast_2d},
};

void atleast_3d(const Call& call);

inline constexpr Facts kAtleast3d{
    .family = &kComposite,
    .name = "atleast_3d",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&atleast_3d},
};

void atleast_1d_each(const Call& call);

inline constexpr Facts kAtleast1dSequence{
    .family = &kComposite,
    .name = "atleast_1d.Sequence",
    .params = "Tensor[] tensors",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&atleast_1d_each},
};

void atleast_2d_each(const Call& call);

inline constexpr Facts kAtleast2dSequence{
    .family = &kComposite,
    .name = "atleast_2d.Sequence",
    .params = "Tensor[] tensors",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&atleast_2d_each},
};

void atleast_3d_each(const Call& call);

inline constexpr Facts kAtleast3dSequence{
    .family = &kComposite,
    .name = "atleast_3d.Sequence",
    .params = "Tensor[] tensors",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&atleast_3d_each},
};

void hstack(const Call& call);

inline constexpr Facts kHstack{
    .family = &kComposite,
    .name = "hstack",
    .params = "Tensor[] tensors",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&hstack},
};

void vstack(const Call& call);

inline constexpr Facts kVstack{
    .family = &kComposite,
    .name = "vstack",
    .params = "Tensor[] tensors",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&vstack},
};

void dstack(const Call& call);

inline constexpr Facts kDstack{
    .family = &kComposite,
    .name = "dstack",
    .params = "Tensor[] tensors",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&dstack},
};

void column_stack(const Call& call);

inline constexpr Facts kColumnStack{
    .family = &kComposite,
    .name = "column_stack",
    .params = "Tensor[] tensors",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&column_stack},
};

}  // namespace tenon::kernels::ops
