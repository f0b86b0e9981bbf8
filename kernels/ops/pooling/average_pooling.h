// SPDX-License-Identifier: Apache-2.0
// aten::avg_pool1d, avg_pool2d and avg_pool3d: the mean of a window at each of its positions;
// aten::adaptive_avg_pool2d and similar operators: windows that divide the input evenly.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/resampling.h"

namespace tenon::kernels {

Resampling avg_pool_plan(const Call& call);
Resampling avg_pool_gradient_plan(const Call& call);
Resampling adaptive_avg_pool_plan(const Call& call);
Resampling adaptive_avg_pool_gradient_plan(const Call& call);

namespace ops {

inline constexpr Facts kAvgPool2d{
    .family = &kRoutine,
    .name = "avg_pool2d",
    .params =
        "Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "self: avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, "
        "count_include_pad, divisor_override)",
    .tangent =
        "avg_pool2d(self_t, kernel_size, stride, padding, ceil_mode, count_include_pad, "
        "divisor_override)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&avg_pool_plan>},
};

inline constexpr Facts kAvgPool2dBackward{
    .family = &kRoutine,
    .name = "avg_pool2d_backward",
    .params =
        "Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] "
        "padding, bool ceil_mode, bool count_include_pad, int? divisor_override",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "core",
    .gradient =
        "grad_output: avg_pool2d(grad, kernel_size, stride, padding, ceil_mode, "
        "count_include_pad, divisor_override); self: zeros_like(self)",
    .tangent =
        "avg_pool2d_backward(grad_output_t, self, kernel_size, stride, padding, "
        "ceil_mode, count_include_pad, divisor_override)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&avg_pool_gradient_plan>},
};

inline constexpr Facts kAvgPool3d{
    .family = &kRoutine,
    .name = "avg_pool3d",
    .params =
        "Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "self: avg_pool3d_backward(grad, self, kernel_size, stride, padding, ceil_mode, "
        "count_include_pad, divisor_override)",
    .tangent =
        "avg_pool3d(self_t, kernel_size, stride, padding, ceil_mode, count_include_pad, "
        "divisor_override)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&resampling_meta<&avg_pool_plan>},
};

inline constexpr Facts kAvgPool3dBackward{
    .family = &kRoutine,
    .name = "avg_pool3d_backward",
    .params =
        "Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] "
        "padding, bool ceil_mode, bool count_include_pad, int? divisor_override",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: avg_pool3d(grad, kernel_size, stride, padding, ceil_mode, "
        "count_include_pad, divisor_override); self: zeros_like(self)",
    .tangent =
        "avg_pool3d_backward(grad_output_t, self, kernel_size, stride, padding, "
        "ceil_mode, count_include_pad, divisor_override)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&avg_pool_gradient_plan>},
};

inline constexpr Facts kAdaptiveAvgPool2dDirect{
    .family = &kRoutine,
    .name = "_adaptive_avg_pool2d",
    .params = "Tensor self, SymInt[2] output_size",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: _adaptive_avg_pool2d_backward(grad, self)",
    .tangent = "_adaptive_avg_pool2d(self_t, output_size)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&adaptive_avg_pool_plan>},
};

inline constexpr Facts kAdaptiveAvgPool2dBackward{
    .family = &kRoutine,
    .name = "_adaptive_avg_pool2d_backward",
    .params = "Tensor grad_output, Tensor self",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient =
        "grad_output: _adaptive_avg_pool2d(grad, [grad_output.size(-2), "
        "grad_output.size(-1)]); self: zeros_like(self)",
    .tangent = "_adaptive_avg_pool2d_backward(grad_output_t, self)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&adaptive_avg_pool_gradient_plan>},
};

inline constexpr Facts kAdaptiveAvgPool3dDirect{
    .family = &kRoutine,
    .name = "_adaptive_avg_pool3d",
    .params = "Tensor self, SymInt[3] output_size",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: _adaptive_avg_pool3d_backward(grad, self)",
    .tangent = "_adaptive_avg_pool3d(self_t, output_size)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&adaptive_avg_pool_plan>},
};

inline constexpr Facts kAdaptiveAvgPool3dBackward{
    .family = &kRoutine,
    .name = "_adaptive_avg_pool3d_backward",
    .params = "Tensor grad_output, Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "grad_output: _adaptive_avg_pool3d(grad, [grad_output.size(-3), "
        "grad_output.size(-2), grad_output.size(-1)]); self: zeros_like(self)",
    .tangent = "_adaptive_avg_pool3d_backward(grad_output_t, self)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&adaptive_avg_pool_gradient_plan>},
};

void adaptive_avg_pool(const Call& call);

inline constexpr Facts kAdaptiveAvgPool2d{
    .family = &kComposite,
    .name = "adaptive_avg_pool2d",
    .params = "Tensor self, SymInt[2] output_size",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&adaptive_avg_pool},
};

inline constexpr Facts kAdaptiveAvgPool3d{
    .family = &kComposite,
    .name = "adaptive_avg_pool3d",
    .params = "Tensor self, SymInt[3] output_size",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&adaptive_avg_pool},
};

// Pools as images of one line.
void avg_pool1d(const Call& call);

inline constexpr Facts kAvgPool1d{
    .family = &kComposite,
    .name = "avg_pool1d",
    .params =
        "Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool "
        "ceil_mode=False, bool count_include_pad=True",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&avg_pool1d},
};

void adaptive_avg_pool1d(const Call& call);

inline constexpr Facts kAdaptiveAvgPool1d{
    .family = &kComposite,
    .name = "adaptive_avg_pool1d",
    .params = "Tensor self, int[1] output_size",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&adaptive_avg_pool1d},
};

}  // namespace ops

}  // namespace tenon::kernels
