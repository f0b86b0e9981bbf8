// SPDX-License-Identifier: Apache-2.0
// aten::conv1d, conv2d and conv3d, and their transposed forms: aten::convolution for inputs with or
// without a batch, and with padding as a string.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void conv1d(const Call& call);

inline constexpr Facts kConv1d{
    .family = &kComposite,
    .name = "conv1d",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, "
        "SymInt[1] padding=0, SymInt[1] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv1d},
};

void conv2d(const Call& call);

inline constexpr Facts kConv2d{
    .family = &kComposite,
    .name = "conv2d",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
        "SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv2d},
};

void conv3d(const Call& call);

inline constexpr Facts kConv3d{
    .family = &kComposite,
    .name = "conv3d",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, "
        "SymInt[3] padding=0, SymInt[3] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv3d},
};

void conv1d_padding(const Call& call);

inline constexpr Facts kConv1dPadding{
    .family = &kComposite,
    .name = "conv1d.padding",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, "
        "str padding=\"valid\", SymInt[1] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Lower,
    .routine = {&conv1d_padding},
};

void conv2d_padding(const Call& call);

inline constexpr Facts kConv2dPadding{
    .family = &kComposite,
    .name = "conv2d.padding",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
        "str padding=\"valid\", SymInt[2] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Lower,
    .routine = {&conv2d_padding},
};

void conv3d_padding(const Call& call);

inline constexpr Facts kConv3dPadding{
    .family = &kComposite,
    .name = "conv3d.padding",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, "
        "str padding=\"valid\", SymInt[3] dilation=1, SymInt groups=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Lower,
    .routine = {&conv3d_padding},
};

void conv_transpose1d(const Call& call);

inline constexpr Facts kConvTranspose1d{
    .family = &kComposite,
    .name = "conv_transpose1d",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, "
        "SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv_transpose1d},
};

void conv_transpose2d(const Call& call);

inline constexpr Facts kConvTranspose2d{
    .family = &kComposite,
    .name = "conv_transpose2d.input",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
        "SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] dilation=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv_transpose2d},
};

void conv_transpose3d(const Call& call);

inline constexpr Facts kConvTranspose3d{
    .family = &kComposite,
    .name = "conv_transpose3d.input",
    .params =
        "Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, "
        "SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt groups=1, SymInt[3] dilation=1",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Lower,
    .routine = {&conv_transpose3d},
};

}  // namespace tenon::kernels::ops
