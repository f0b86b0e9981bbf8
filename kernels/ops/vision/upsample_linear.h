// SPDX-License-Identifier: Apache-2.0
// aten::upsample_linear1d, upsample_bilinear2d, upsample_trilinear3d and upsample_bicubic2d: each
// element of the result is interpolated from the nearest elements of the input.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/resampling.h"

namespace tenon::kernels {

Resampling upsample_linear_plan(const Call& call);
Resampling upsample_linear_gradient_plan(const Call& call);

namespace ops {

inline constexpr Facts kUpsampleLinear1d{
    .family = &kRoutine,
    .name = "upsample_linear1d",
    .params = "Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: upsample_linear1d_backward(grad, output_size, self.sizes(), "
        "align_corners, scales)",
    .tangent = "upsample_linear1d(self_t, output_size, align_corners, scales)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_plan>},
};

inline constexpr Facts kUpsampleLinear1dBackward{
    .family = &kRoutine,
    .name = "upsample_linear1d_backward",
    .params =
        "Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, bool "
        "align_corners, float? scales=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: upsample_linear1d(grad, output_size, align_corners, scales)",
    .tangent =
        "upsample_linear1d_backward(grad_output_t, output_size, input_size, "
        "align_corners, scales)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_gradient_plan>},
};

inline constexpr Facts kUpsampleBilinear2d{
    .family = &kRoutine,
    .name = "upsample_bilinear2d",
    .params =
        "Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
        "float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: upsample_bilinear2d_backward(grad, output_size, self.sizes(), "
        "align_corners, scales_h, scales_w)",
    .tangent = "upsample_bilinear2d(self_t, output_size, align_corners, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_plan>},
};

inline constexpr Facts kUpsampleBilinear2dBackward{
    .family = &kRoutine,
    .name = "upsample_bilinear2d_backward",
    .params =
        "Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool "
        "align_corners, float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: upsample_bilinear2d(grad, output_size, align_corners, scales_h, "
        "scales_w)",
    .tangent =
        "upsample_bilinear2d_backward(grad_output_t, output_size, input_size, "
        "align_corners, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_gradient_plan>},
};

inline constexpr Facts kUpsampleTrilinear3d{
    .family = &kRoutine,
    .name = "upsample_trilinear3d",
    .params =
        "Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, "
        "float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: upsample_trilinear3d_backward(grad, output_size, self.sizes(), "
        "align_corners, scales_d, scales_h, scales_w)",
    .tangent =
        "upsample_trilinear3d(self_t, output_size, align_corners, scales_d, scales_h, "
        "scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_plan>},
};

inline constexpr Facts kUpsampleTrilinear3dBackward{
    .family = &kRoutine,
    .name = "upsample_trilinear3d_backward",
    .params =
        "Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, bool "
        "align_corners, float? scales_d=None, float? scales_h=None, float? "
        "scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: upsample_trilinear3d(grad, output_size, align_corners, scales_d, "
        "scales_h, scales_w)",
    .tangent =
        "upsample_trilinear3d_backward(grad_output_t, output_size, input_size, "
        "align_corners, scales_d, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_gradient_plan>},
};

inline constexpr Facts kUpsampleBicubic2d{
    .family = &kRoutine,
    .name = "upsample_bicubic2d",
    .params =
        "Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, "
        "float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: upsample_bicubic2d_backward(grad, output_size, self.sizes(), "
        "align_corners, scales_h, scales_w)",
    .tangent = "upsample_bicubic2d(self_t, output_size, align_corners, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_plan>},
};

inline constexpr Facts kUpsampleBicubic2dBackward{
    .family = &kRoutine,
    .name = "upsample_bicubic2d_backward",
    .params =
        "Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool "
        "align_corners, float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: upsample_bicubic2d(grad, output_size, align_corners, scales_h, "
        "scales_w)",
    .tangent =
        "upsample_bicubic2d_backward(grad_output_t, output_size, input_size, "
        "align_corners, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_linear_gradient_plan>},
};

// Takes sizes, or scale factors that determine the sizes.
void upsample_linear_vec(const Call& call);

inline constexpr Facts kUpsampleLinear1dVec{
    .family = &kComposite,
    .name = "upsample_linear1d.vec",
    .params =
        "Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
        "scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_linear_vec},
};

inline constexpr Facts kUpsampleBilinear2dVec{
    .family = &kComposite,
    .name = "upsample_bilinear2d.vec",
    .params =
        "Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
        "scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_linear_vec},
};

inline constexpr Facts kUpsampleTrilinear3dVec{
    .family = &kComposite,
    .name = "upsample_trilinear3d.vec",
    .params =
        "Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
        "scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_linear_vec},
};

inline constexpr Facts kUpsampleBicubic2dVec{
    .family = &kComposite,
    .name = "upsample_bicubic2d.vec",
    .params =
        "Tensor input, SymInt[]? output_size, bool align_corners, float[]? "
        "scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_linear_vec},
};

}  // namespace ops

}  // namespace tenon::kernels
