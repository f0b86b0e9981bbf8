// SPDX-License-Identifier: Apache-2.0
// aten::margin_ranking_loss and similar operators: losses of pairs that should differ by a margin.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void margin_ranking_loss(const Call& call);

inline constexpr Facts kMarginRankingLoss{
    .family = &kComposite,
    .name = "margin_ranking_loss",
    .params = "Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&margin_ranking_loss},
};

void hinge_embedding_loss(const Call& call);

inline constexpr Facts kHingeEmbeddingLoss{
    .family = &kComposite,
    .name = "hinge_embedding_loss",
    .params = "Tensor self, Tensor target, float margin=1.0, int reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&hinge_embedding_loss},
};

void cosine_embedding_loss(const Call& call);

inline constexpr Facts kCosineEmbeddingLoss{
    .family = &kComposite,
    .name = "cosine_embedding_loss",
    .params = "Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&cosine_embedding_loss},
};

void triplet_margin_loss(const Call& call);

inline constexpr Facts kTripletMarginLoss{
    .family = &kComposite,
    .name = "triplet_margin_loss",
    .params =
        "Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, "
        "float eps=1e-06, bool swap=False, int reduction=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&triplet_margin_loss},
};

void soft_margin_loss(const Call& call);

inline constexpr Facts kSoftMarginLoss{
    .family = &kComposite,
    .name = "soft_margin_loss",
    .params = "Tensor self, Tensor target, int reduction=1",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .routine = {&soft_margin_loss},
};

}  // namespace tenon::kernels::ops
