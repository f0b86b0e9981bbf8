// SPDX-License-Identifier: Apache-2.0
// aten::reflection_pad2d and aten::replication_pad2d, for one to three dims: the input padded with
// mirrored elements or repeated edge elements.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/resampling.h"

namespace tenon::kernels {

Resampling reflection_pad_plan(const Call& call);
Resampling reflection_pad_gradient_plan(const Call& call);
Resampling replication_pad_plan(const Call& call);
Resampling replication_pad_gradient_plan(const Call& call);

namespace ops {

inline constexpr Facts kReflectionPad1d{
    .family = &kRoutine,
    .name = "reflection_pad1d",
    .params = "Tensor self, SymInt[2] padding",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: reflection_pad1d_backward(grad, self, padding)",
    .tangent = "reflection_pad1d(self_t, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&resampling_meta<&reflection_pad_plan>},
};

inline constexpr Facts kReflectionPad1dBackward{
    .family = &kRoutine,
    .name = "reflection_pad1d_backward",
    .params = "Tensor grad_output, Tensor self, SymInt[2] padding",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: reflection_pad1d(grad, padding); self: zeros_like(self)",
    .tangent = "reflection_pad1d_backward(grad_output_t, self, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&reflection_pad_gradient_plan>},
};

inline constexpr Facts kReflectionPad2d{
    .family = &kRoutine,
    .name = "reflection_pad2d",
    .params = "Tensor self, SymInt[4] padding",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: reflection_pad2d_backward(grad, self, padding)",
    .tangent = "reflection_pad2d(self_t, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&resampling_meta<&reflection_pad_plan>},
};

inline constexpr Facts kReflectionPad2dBackward{
    .family = &kRoutine,
    .name = "reflection_pad2d_backward",
    .params = "Tensor grad_output, Tensor self, SymInt[4] padding",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: reflection_pad2d(grad, padding); self: zeros_like(self)",
    .tangent = "reflection_pad2d_backward(grad_output_t, self, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&reflection_pad_gradient_plan>},
};

inline constexpr Facts kReflectionPad3d{
    .family = &kRoutine,
    .name = "reflection_pad3d",
    .params = "Tensor self, SymInt[6] padding",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: reflection_pad3d_backward(grad, self, padding)",
    .tangent = "reflection_pad3d(self_t, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&reflection_pad_plan>},
};

inline constexpr Facts kReflectionPad3dBackward{
    .family = &kRoutine,
    .name = "reflection_pad3d_backward",
    .params = "Tensor grad_output, Tensor self, SymInt[6] padding",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: reflection_pad3d(grad, padding); self: zeros_like(self)",
    .tangent = "reflection_pad3d_backward(grad_output_t, self, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&reflection_pad_gradient_plan>},
};

inline constexpr Facts kReplicationPad1d{
    .family = &kRoutine,
    .name = "replication_pad1d",
    .params = "Tensor self, SymInt[2] padding",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: replication_pad1d_backward(grad, self, padding)",
    .tangent = "replication_pad1d(self_t, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&resampling_meta<&replication_pad_plan>},
};

inline constexpr Facts kReplicationPad1dBackward{
    .family = &kRoutine,
    .name = "replication_pad1d_backward",
    .params = "Tensor grad_output, Tensor self, SymInt[2] padding",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: replication_pad1d(grad, padding); self: zeros_like(self)",
    .tangent = "replication_pad1d_backward(grad_output_t, self, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&replication_pad_gradient_plan>},
};

inline constexpr Facts kReplicationPad2d{
    .family = &kRoutine,
    .name = "replication_pad2d",
    .params = "Tensor self, SymInt[4] padding",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: replication_pad2d_backward(grad, self, padding)",
    .tangent = "replication_pad2d(self_t, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&resampling_meta<&replication_pad_plan>},
};

inline constexpr Facts kReplicationPad2dBackward{
    .family = &kRoutine,
    .name = "replication_pad2d_backward",
    .params = "Tensor grad_output, Tensor self, SymInt[4] padding",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: replication_pad2d(grad, padding); self: zeros_like(self)",
    .tangent = "replication_pad2d_backward(grad_output_t, self, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&replication_pad_gradient_plan>},
};

inline constexpr Facts kReplicationPad3d{
    .family = &kRoutine,
    .name = "replication_pad3d",
    .params = "Tensor self, SymInt[6] padding",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: replication_pad3d_backward(grad, self, padding)",
    .tangent = "replication_pad3d(self_t, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&resampling_meta<&replication_pad_plan>},
};

inline constexpr Facts kReplicationPad3dBackward{
    .family = &kRoutine,
    .name = "replication_pad3d_backward",
    .params = "Tensor grad_output, Tensor self, SymInt[6] padding",
    .forms = kFunctional | kOut,
    .out = "grad_input",
    .outs = "grad_input",
    .tags = "",
    .gradient = "grad_output: replication_pad3d(grad, padding); self: zeros_like(self)",
    .tangent = "replication_pad3d_backward(grad_output_t, self, padding)",
    .batching = Batching::Own,
    .batch = &batch_planes,
    .cast = Cast::None,
    .routine = {&resampling_meta<&replication_pad_gradient_plan>},
};

}  // namespace ops

}  // namespace tenon::kernels
