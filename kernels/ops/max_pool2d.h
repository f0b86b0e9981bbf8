// SPDX-License-Identifier: Apache-2.0
// aten::max_pool2d: the largest element that a window sees at each of its places, and which it was.
#pragma once

#include "kernels/common/facts_batching.h"
#include "kernels/common/routine.h"
#include "kernels/common/window.h"

namespace tenon::kernels {

// One call: both results, and what the window slides over.
struct Pooling {
  Tensor values;
  Tensor indices;
  tenon_tensor_info self;
  Window window;
  int64_t places[2];
};

// Checks the arguments and makes the results, or takes the call's.
Pooling max_pool2d_plan(const Call& call);

namespace ops {

void max_pool2d_meta(const Call& call);

inline constexpr Facts kMaxPool2dWithIndices{
    .family = &kRoutine,
    .name = "max_pool2d_with_indices",
    .params =
        "Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, "
        "int[2] dilation=1, bool ceil_mode=False",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out, indices",
    .tags = "core",
    .gradient =
        "self: max_pool2d_with_indices_backward(grad, self, kernel_size, stride, padding, "
        "dilation, ceil_mode, result1)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_images,
    .cast = Cast::None,
    .routine = {&max_pool2d_meta},
};

void max_pool2d(const Call& call);

inline constexpr Facts kMaxPool2d{
    .family = &kComposite,
    .name = "max_pool2d",
    .params =
        "Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, "
        "int[2] dilation=1, bool ceil_mode=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&max_pool2d},
};

void max_pool2d_backward(const Call& call);

// Of self: elements of `grad_output` added where the largest were, 0 elsewhere.
inline constexpr Facts kMaxPool2dWithIndicesBackward{
    .family = &kComposite,
    .name = "max_pool2d_with_indices_backward",
    .params =
        "Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, "
        "int[2] dilation, bool ceil_mode, Tensor indices",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&max_pool2d_backward},
};

}  // namespace ops

}  // namespace tenon::kernels
