// SPDX-License-Identifier: Apache-2.0
// aten::layer_norm, aten::group_norm and aten::rms_norm: elements in units of how large those are
// that they are normalized with.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void layer_norm(const Call& call);

inline constexpr Facts kLayerNorm{
    .family = &kComposite,
    .name = "layer_norm",
    .params =
        "Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
        "float eps=1e-05, bool cudnn_enable=True",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&layer_norm},
};

void group_norm(const Call& call);

inline constexpr Facts kGroupNorm{
    .family = &kComposite,
    .name = "group_norm",
    .params =
        "Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
        "bool cudnn_enabled=True",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&group_norm},
};

void rms_norm(const Call& call);

inline constexpr Facts kRmsNorm{
    .family = &kComposite,
    .name = "rms_norm",
    .params = "Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&rms_norm},
};

}  // namespace tenon::kernels::ops
