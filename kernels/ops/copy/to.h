// SPDX-License-Identifier: Apache-2.0
// aten::to: the tensor itself if it has the dtype, device and memory format, otherwise a copy that
// does.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void to_device(const Call& call);

inline constexpr Facts kToDevice{
    .family = &kComposite,
    .name = "to.device",
    .params =
        "Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, "
        "bool copy=False, MemoryFormat? memory_format=None",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&to_device},
};

void to_dtype(const Call& call);

inline constexpr Facts kToDtype{
    .family = &kComposite,
    .name = "to.dtype",
    .params =
        "Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
        "MemoryFormat? memory_format=None",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&to_dtype},
};

void to_other(const Call& call);

inline constexpr Facts kToOther{
    .family = &kComposite,
    .name = "to.other",
    .params =
        "Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, "
        "MemoryFormat? memory_format=None",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&to_other},
};

void to_options(const Call& call);

inline constexpr Facts kToOptions{
    .family = &kComposite,
    .name = "to.dtype_layout",
    .params =
        "Tensor(a) self, *, $options, bool non_blocking=False, bool copy=False, "
        "MemoryFormat? memory_format=None",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&to_options},
};

void type_as(const Call& call);

inline constexpr Facts kTypeAs{
    .family = &kComposite,
    .name = "type_as",
    .params = "Tensor self, Tensor other",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&type_as},
};

}  // namespace tenon::kernels::ops
