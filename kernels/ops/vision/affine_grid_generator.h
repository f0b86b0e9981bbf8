// SPDX-License-Identifier: Apache-2.0
// aten::affine_grid_generator: the coordinates to which affine maps take the positions of an image,
// as a grid for aten::grid_sampler; and its gradient.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void affine_grid_generator(const Call& call);

inline constexpr Facts kAffineGridGenerator{
    .family = &kExplicit,
    .name = "affine_grid_generator",
    .params = "Tensor theta, SymInt[] size, bool align_corners",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "theta: affine_grid_generator_backward(grad, size, align_corners)",
    .tangent = "affine_grid_generator(theta_t, size, align_corners)",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&affine_grid_generator},
};

void affine_grid_generator_backward(const Call& call);

inline constexpr Facts kAffineGridGeneratorBackward{
    .family = &kComposite,
    .name = "affine_grid_generator_backward",
    .params = "Tensor grad, SymInt[] size, bool align_corners",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&affine_grid_generator_backward},
};

}  // namespace tenon::kernels::ops
