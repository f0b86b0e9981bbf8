// SPDX-License-Identifier: Apache-2.0
// aten::scaled_dot_product_attention: values weighted by the similarity of their keys to a query.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void scaled_dot_product_attention(const Call& call);

inline constexpr Facts kScaledDotProductAttention{
    .family = &kComposite,
    .name = "scaled_dot_product_attention",
    .params =
        "Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., bool "
        "is_causal=False, *, float? scale=None, bool enable_gqa=False",
    .tags = "nondeterministic_seeded",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&scaled_dot_product_attention},
};

}  // namespace tenon::kernels::ops
