// SPDX-License-Identifier: Apache-2.0
// aten::pixel_shuffle: moves channels to additional rows and columns of an image, and back; and
// aten::channel_shuffle, which interleaves the channels of groups.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void pixel_shuffle(const Call& call);

inline constexpr Facts kPixelShuffle{
    .family = &kComposite,
    .name = "pixel_shuffle",
    .params = "Tensor self, int upscale_factor",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pixel_shuffle},
};

void pixel_unshuffle(const Call& call);

inline constexpr Facts kPixelUnshuffle{
    .family = &kComposite,
    .name = "pixel_unshuffle",
    .params = "Tensor self, int downscale_factor",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pixel_unshuffle},
};

void channel_shuffle(const Call& call);

inline constexpr Facts kChannelShuffle{
    .family = &kComposite,
    .name = "channel_shuffle",
    .params = "Tensor self, SymInt groups",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&channel_shuffle},
};

}  // namespace tenon::kernels::ops
