// SPDX-License-Identifier: Apache-2.0
// aten::max_pool1d, max_pool2d and max_pool3d: the largest element of a window at each of its
// positions, and its index; aten::adaptive_max_pool2d and similar operators: windows that divide
// the input evenly.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/window.h"

namespace tenon::kernels {

// The elements of a line in a window: from `first` up to `end`, `step` apart.
struct Seen {
  int64_t first;
  int64_t end;
  int64_t step;
};

// One call: both results, and the windows along each of the last three dims. Dims that are not
// pooled have one element.
struct MaxPooling {
  Tensor values;
  Tensor indices;
  tenon_tensor_info self;
  int64_t planes;
  int64_t sizes[kMostSlides];
  int64_t counts[kMostSlides];  // number of window positions
  std::function<Seen(int64_t place)> seen[kMostSlides];
  std::vector<Seen> along[kMostSlides];  // empty before fill()
  std::optional<Slide> across;           // the window along the last dim; none for adaptive pooling

  int64_t places(int d) const { return counts[d]; }
  // Lists the windows at all positions. Without this the cost of a plan does not depend on sizes.
  void fill();
};

// Checks the arguments and returns the results, which may be the call's `out`.
MaxPooling max_pool_plan(const Call& call);
MaxPooling adaptive_max_pool_plan(const Call& call);

namespace ops {

void max_pool_meta(const Call& call);

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
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&max_pool_meta},
};

inline constexpr Facts kMaxPool3dWithIndices{
    .family = &kRoutine,
    .name = "max_pool3d_with_indices",
    .params =
        "Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, "
        "int[3] dilation=1, bool ceil_mode=False",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out, indices",
    .tags = "core",
    .gradient =
        "self: max_pool3d_with_indices_backward(grad, self, kernel_size, stride, padding, "
        "dilation, ceil_mode, result1)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&max_pool_meta},
};

void max_pool_backward(const Call& call);

// The gradient of self: elements of `grad_output` are added where the largest were; 0 elsewhere.
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
    .routine = {&max_pool_backward},
};

// The gradient of self: elements of `grad_output` are added where the largest were; 0 elsewhere.
inline constexpr Facts kMaxPool3dWithIndicesBackward{
    .family = &kComposite,
    .name = "max_pool3d_with_indices_backward",
    .params =
        "Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, "
        "int[3] dilation, bool ceil_mode, Tensor indices",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&max_pool_backward},
};

void max_pool(const Call& call);

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
    .routine = {&max_pool},
};

inline constexpr Facts kMaxPool3d{
    .family = &kComposite,
    .name = "max_pool3d",
    .params =
        "Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, "
        "int[3] dilation=1, bool ceil_mode=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&max_pool},
};

// Pools as images of one line.
void max_pool1d(const Call& call);

inline constexpr Facts kMaxPool1d{
    .family = &kComposite,
    .name = "max_pool1d",
    .params =
        "Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, "
        "int[1] dilation=1, bool ceil_mode=False",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&max_pool1d},
};

inline constexpr Facts kMaxPool1dWithIndices{
    .family = &kComposite,
    .name = "max_pool1d_with_indices",
    .params =
        "Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, "
        "int[1] dilation=1, bool ceil_mode=False",
    .returns = "(Tensor, Tensor)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&max_pool1d},
};

void adaptive_max_pool_meta(const Call& call);

inline constexpr Facts kAdaptiveMaxPool2d{
    .family = &kRoutine,
    .name = "adaptive_max_pool2d",
    .params = "Tensor self, int[2] output_size",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out, indices",
    .tags = "",
    .gradient = "self: adaptive_max_pool2d_backward(grad, self, result1)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&adaptive_max_pool_meta},
};

inline constexpr Facts kAdaptiveMaxPool3d{
    .family = &kRoutine,
    .name = "adaptive_max_pool3d",
    .params = "Tensor self, int[3] output_size",
    .returns = "(Tensor, Tensor)",
    .forms = kFunctional | kOut,
    .outs = "out, indices",
    .tags = "",
    .gradient = "self: adaptive_max_pool3d_backward(grad, self, result1)",
    .tangent = "derived",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&adaptive_max_pool_meta},
};

void adaptive_max_pool_backward(const Call& call);

inline constexpr Facts kAdaptiveMaxPool2dBackward{
    .family = &kComposite,
    .name = "adaptive_max_pool2d_backward",
    .params = "Tensor grad_output, Tensor self, Tensor indices",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&adaptive_max_pool_backward},
};

inline constexpr Facts kAdaptiveMaxPool3dBackward{
    .family = &kComposite,
    .name = "adaptive_max_pool3d_backward",
    .params = "Tensor grad_output, Tensor self, Tensor indices",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&adaptive_max_pool_backward},
};

void adaptive_max_pool1d(const Call& call);

inline constexpr Facts kAdaptiveMaxPool1d{
    .family = &kComposite,
    .name = "adaptive_max_pool1d",
    .params = "Tensor self, int[1] output_size",
    .returns = "(Tensor, Tensor)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&adaptive_max_pool1d},
};

}  // namespace ops

}  // namespace tenon::kernels
