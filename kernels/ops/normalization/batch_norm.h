// SPDX-License-Identifier: Apache-2.0
// aten::batch_norm and aten::instance_norm: channels normalized to mean 0 and standard deviation 1,
// over a batch or each image; and aten::native_batch_norm and native_group_norm, which also return
// mean and scale.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void native_batch_norm(const Call& call);

inline constexpr Facts kNativeBatchNorm{
    .family = &kComposite,
    .name = "native_batch_norm",
    .params =
        "Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
        "running_var, bool training, float momentum, float eps",
    .returns = "(Tensor, Tensor, Tensor)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&native_batch_norm},
};

void batch_norm(const Call& call);

inline constexpr Facts kBatchNorm{
    .family = &kComposite,
    .name = "batch_norm",
    .params =
        "Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
        "running_var, bool training, float momentum, float eps, bool cudnn_enabled",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&batch_norm},
};

void instance_norm(const Call& call);

inline constexpr Facts kInstanceNorm{
    .family = &kComposite,
    .name = "instance_norm",
    .params =
        "Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? "
        "running_var, bool use_input_stats, float momentum, float eps, bool "
        "cudnn_enabled",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&instance_norm},
};

void native_group_norm(const Call& call);

inline constexpr Facts kNativeGroupNorm{
    .family = &kComposite,
    .name = "native_group_norm",
    .params =
        "Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, "
        "int group, float eps",
    .returns = "(Tensor, Tensor, Tensor)",
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&native_group_norm},
};

}  // namespace tenon::kernels::ops
