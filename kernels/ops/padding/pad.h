// SPDX-License-Identifier: Apache-2.0
// aten::constant_pad_nd: a tensor with elements of one value added at the ends of its last dims;
// aten::pad, which may also take them from the tensor.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void constant_pad_nd(const Call& call);

inline constexpr Facts kConstantPadNd{
    .family = &kExplicit,
    .name = "constant_pad_nd",
    .params = "Tensor self, SymInt[] pad, Scalar value=0",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: constant_pad_nd_backward(grad, pad)",
    .tangent = "constant_pad_nd(self_t, pad, 0)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&constant_pad_nd},
};

void constant_pad_nd_backward(const Call& call);

// Removes the padding at the ends.
inline constexpr Facts kConstantPadNdBackward{
    .family = &kComposite,
    .name = "constant_pad_nd_backward",
    .params = "Tensor grad_output, SymInt[] pad",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&constant_pad_nd_backward},
};

void pad(const Call& call);

inline constexpr Facts kPad{
    .family = &kComposite,
    .name = "pad",
    .params = "Tensor self, SymInt[] pad, str mode=\"constant\", float? value=None",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pad},
};

void pad_circular(const Call& call);

// Pads with elements of the other end.
inline constexpr Facts kPadCircular{
    .family = &kComposite,
    .name = "_pad_circular",
    .params = "Tensor self, SymInt[] pad",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&pad_circular},
};

}  // namespace tenon::kernels::ops
