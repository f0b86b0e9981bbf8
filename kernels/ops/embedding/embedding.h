// SPDX-License-Identifier: Apache-2.0
// aten::embedding: the rows of a matrix at the given indices, and its gradient.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void embedding(const Call& call);

inline constexpr Facts kEmbedding{
    .family = &kExplicit,
    .name = "embedding",
    .params =
        "Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, "
        "bool sparse=False",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "weight: embedding_dense_backward(grad, indices, weight.size(0), padding_idx, "
        "scale_grad_by_freq)",
    .tangent = "embedding(weight_t, indices, padding_idx, scale_grad_by_freq, sparse)",
    .batching = Batching::Own,
    .batch = &batch_embedding,
    .cast = Cast::None,
    .routine = {&embedding},
};

void embedding_dense_backward(const Call& call);

// Adds the rows of `grad_output` to the rows that they were read from, except for `padding_idx`.
inline constexpr Facts kEmbeddingDenseBackward{
    .family = &kComposite,
    .name = "embedding_dense_backward",
    .params =
        "Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, "
        "bool scale_grad_by_freq",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&embedding_dense_backward},
};

}  // namespace tenon::kernels::ops
