// SPDX-License-Identifier: Apache-2.0
// aten::cosine_similarity and aten::pairwise_distance: similarity and distance of vectors; and
// aten::bilinear: sums of weighted products of pairs of their elements.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void cosine_similarity(const Call& call);

inline constexpr Facts kCosineSimilarity{
    .family = &kComposite,
    .name = "cosine_similarity",
    .params = "Tensor x1, Tensor x2, int dim=1, float eps=1e-08",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&cosine_similarity},
};

void pairwise_distance(const Call& call);

inline constexpr Facts kPairwiseDistance{
    .family = &kComposite,
    .name = "pairwise_distance",
    .params = "Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pairwise_distance},
};

void bilinear(const Call& call);

inline constexpr Facts kBilinear{
    .family = &kComposite,
    .name = "bilinear",
    .params = "Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&bilinear},
};

}  // namespace tenon::kernels::ops
