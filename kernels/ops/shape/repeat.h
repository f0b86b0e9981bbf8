// SPDX-License-Identifier: Apache-2.0
// aten::repeat: repeats a tensor along each dim; aten::tile; aten::repeat_interleave: repeats each
// element.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void repeat(const Call& call);

inline constexpr Facts kRepeat{
    .family = &kComposite,
    .name = "repeat",
    .params = "Tensor self, SymInt[] repeats",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&repeat},
};

void tile(const Call& call);

inline constexpr Facts kTile{
    .family = &kComposite,
    .name = "tile",
    .params = "Tensor self, SymInt[] dims",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&tile},
};

void repeat_interleave(const Call& call);

inline constexpr Facts kRepeatInterleave{
    .family = &kExplicit,
    .name = "repeat_interleave.Tensor",
    .params = "Tensor repeats, *, SymInt? output_size=None",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "dynamic_output_shape",
    .gradient = "none: indices",
    .tangent = "none: indices",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&repeat_interleave},
};

void repeat_interleave_int(const Call& call);

inline constexpr Facts kRepeatInterleaveInt{
    .family = &kComposite,
    .name = "repeat_interleave.self_int",
    .params = "Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&repeat_interleave_int},
};

void repeat_interleave_tensor(const Call& call);

inline constexpr Facts kRepeatInterleaveTensor{
    .family = &kComposite,
    .name = "repeat_interleave.self_Tensor",
    .params = "Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&repeat_interleave_tensor},
};

}  // namespace tenon::kernels::ops
