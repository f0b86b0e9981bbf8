// SPDX-License-Identifier: Apache-2.0
// aten::upsample_nearest2d and similar operators: each element of the result is the nearest one of
// the input, by PyTorch's original rule, or by the exact one in aten::_upsample_nearest_exact2d.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/resampling.h"

namespace tenon::kernels {

Resampling upsample_nearest_plan(const Call& call);
Resampling upsample_nearest_gradient_plan(const Call& call);

namespace ops {

inline constexpr Facts kUpsampleNearest1d{
    .family = &kRoutine,
    .name = "upsample_nearest1d",
    .params = "Tensor self, SymInt[1] output_size, float? scales=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: upsample_nearest1d_backward(grad, output_size, self.sizes(), scales)",
    .tangent = "upsample_nearest1d(self_t, output_size, scales)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_plan>},
};

inline constexpr Facts kUpsampleNearest1dBackward{
    .family = &kRoutine,
    .name = "upsample_nearest1d_backward",
    .params =
        "Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? "
        "scales=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: upsample_nearest1d(grad, output_size, scales)",
    .tangent = "upsample_nearest1d_backward(grad_output_t, output_size, input_size, scales)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_gradient_plan>},
};

inline constexpr Facts kUpsampleNearest2d{
    .family = &kRoutine,
    .name = "upsample_nearest2d",
    .params = "Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: upsample_nearest2d_backward(grad, output_size, self.sizes(), scales_h, "
        "scales_w)",
    .tangent = "upsample_nearest2d(self_t, output_size, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_plan>},
};

inline constexpr Facts kUpsampleNearest2dBackward{
    .family = &kRoutine,
    .name = "upsample_nearest2d_backward",
    .params =
        "Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? "
        "scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: upsample_nearest2d(grad, output_size, scales_h, scales_w)",
    .tangent =
        "upsample_nearest2d_backward(grad_output_t, output_size, input_size, scales_h, "
        "scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_gradient_plan>},
};

inline constexpr Facts kUpsampleNearest3d{
    .family = &kRoutine,
    .name = "upsample_nearest3d",
    .params =
        "Tensor self, SymInt[3] output_size, float? scales_d=None, float? "
        "scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: upsample_nearest3d_backward(grad, output_size, self.sizes(), scales_d, "
        "scales_h, scales_w)",
    .tangent = "upsample_nearest3d(self_t, output_size, scales_d, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_plan>},
};

inline constexpr Facts kUpsampleNearest3dBackward{
    .family = &kRoutine,
    .name = "upsample_nearest3d_backward",
    .params =
        "Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? "
        "scales_d=None, float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: upsample_nearest3d(grad, output_size, scales_d, scales_h, "
        "scales_w)",
    .tangent =
        "upsample_nearest3d_backward(grad_output_t, output_size, input_size, scales_d, "
        "scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_gradient_plan>},
};

inline constexpr Facts kUpsampleNearestExact1d{
    .family = &kRoutine,
    .name = "_upsample_nearest_exact1d",
    .params = "Tensor self, SymInt[1] output_size, float? scales=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: _upsample_nearest_exact1d_backward(grad, output_size, self.sizes(), "
        "scales)",
    .tangent = "_upsample_nearest_exact1d(self_t, output_size, scales)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_plan>},
};

inline constexpr Facts kUpsampleNearestExact1dBackward{
    .family = &kRoutine,
    .name = "_upsample_nearest_exact1d_backward",
    .params =
        "Tensor grad_output, SymInt[1] output_size, SymInt[3] input_size, float? "
        "scales=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: _upsample_nearest_exact1d(grad, output_size, scales)",
    .tangent =
        "_upsample_nearest_exact1d_backward(grad_output_t, output_size, input_size, "
        "scales)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_gradient_plan>},
};

inline constexpr Facts kUpsampleNearestExact2d{
    .family = &kRoutine,
    .name = "_upsample_nearest_exact2d",
    .params = "Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: _upsample_nearest_exact2d_backward(grad, output_size, self.sizes(), "
        "scales_h, scales_w)",
    .tangent = "_upsample_nearest_exact2d(self_t, output_size, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_plan>},
};

inline constexpr Facts kUpsampleNearestExact2dBackward{
    .family = &kRoutine,
    .name = "_upsample_nearest_exact2d_backward",
    .params =
        "Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, float? "
        "scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: _upsample_nearest_exact2d(grad, output_size, scales_h, scales_w)",
    .tangent =
        "_upsample_nearest_exact2d_backward(grad_output_t, output_size, input_size, "
        "scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_gradient_plan>},
};

inline constexpr Facts kUpsampleNearestExact3d{
    .family = &kRoutine,
    .name = "_upsample_nearest_exact3d",
    .params =
        "Tensor self, SymInt[3] output_size, float? scales_d=None, float? "
        "scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "self: _upsample_nearest_exact3d_backward(grad, output_size, self.sizes(), "
        "scales_d, scales_h, scales_w)",
    .tangent = "_upsample_nearest_exact3d(self_t, output_size, scales_d, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::Fp32,
    .cast_on_cpu = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_plan>},
};

inline constexpr Facts kUpsampleNearestExact3dBackward{
    .family = &kRoutine,
    .name = "_upsample_nearest_exact3d_backward",
    .params =
        "Tensor grad_output, SymInt[3] output_size, SymInt[5] input_size, float? "
        "scales_d=None, float? scales_h=None, float? scales_w=None",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: _upsample_nearest_exact3d(grad, output_size, scales_d, scales_h, "
        "scales_w)",
    .tangent =
        "_upsample_nearest_exact3d_backward(grad_output_t, output_size, input_size, "
        "scales_d, scales_h, scales_w)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&upsample_nearest_gradient_plan>},
};

// Takes sizes, or scale factors that determine the sizes.
void upsample_nearest_vec(const Call& call);

inline constexpr Facts kUpsampleNearest1dVec{
    .family = &kComposite,
    .name = "upsample_nearest1d.vec",
    .params = "Tensor input, SymInt[]? output_size, float[]? scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_nearest_vec},
};

inline constexpr Facts kUpsampleNearest2dVec{
    .family = &kComposite,
    .name = "upsample_nearest2d.vec",
    .params = "Tensor input, SymInt[]? output_size, float[]? scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_nearest_vec},
};

inline constexpr Facts kUpsampleNearest3dVec{
    .family = &kComposite,
    .name = "upsample_nearest3d.vec",
    .params = "Tensor input, SymInt[]? output_size, float[]? scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_nearest_vec},
};

inline constexpr Facts kUpsampleNearestExact1dVec{
    .family = &kComposite,
    .name = "_upsample_nearest_exact1d.vec",
    .params = "Tensor input, SymInt[]? output_size, float[]? scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_nearest_vec},
};

inline constexpr Facts kUpsampleNearestExact2dVec{
    .family = &kComposite,
    .name = "_upsample_nearest_exact2d.vec",
    .params = "Tensor input, SymInt[]? output_size, float[]? scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_nearest_vec},
};

inline constexpr Facts kUpsampleNearestExact3dVec{
    .family = &kComposite,
    .name = "_upsample_nearest_exact3d.vec",
    .params = "Tensor input, SymInt[]? output_size, float[]? scale_factors",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&upsample_nearest_vec},
};

}  // namespace ops

}  // namespace tenon::kernels
