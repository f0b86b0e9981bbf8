// SPDX-License-Identifier: Apache-2.0
// aten::linspace: numbers at equal distances from start to end, both included; aten::logspace:
// powers of a base with such exponents.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// Returns the call's `out`, resized to the number of elements. Refuses an `out` that cannot be
// written, and numbers that do not fit it.
Tensor linspace_result(const Call& call);

namespace ops {

void linspace_meta(const Call& call);

inline constexpr Facts kLinspaceOut{
    .family = &kRoutine,
    .name = "linspace",
    .params = "Scalar start, Scalar end, int steps",
    .forms = kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&linspace_meta},
};

void linspace(const Call& call);

inline constexpr Facts kLinspace{
    .family = &kExplicit,
    .name = "linspace",
    .params = "Scalar start, Scalar end, int steps, *, $options",
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&linspace},
};

void linspace_of_tensors(const Call& call);

inline constexpr Facts kLinspaceTensorTensor{
    .family = &kExplicit,
    .name = "linspace.Tensor_Tensor",
    .params = "Tensor start, Tensor end, int steps, *, $options",
    .forms = kFunctional | kOut,
    .out = "Tensor_Tensor_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&linspace_of_tensors, /*writes_out=*/true},
};

inline constexpr Facts kLinspaceTensorScalar{
    .family = &kExplicit,
    .name = "linspace.Tensor_Scalar",
    .params = "Tensor start, Scalar end, int steps, *, $options",
    .forms = kFunctional | kOut,
    .out = "Tensor_Scalar_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&linspace_of_tensors, /*writes_out=*/true},
};

inline constexpr Facts kLinspaceScalarTensor{
    .family = &kExplicit,
    .name = "linspace.Scalar_Tensor",
    .params = "Scalar start, Tensor end, int steps, *, $options",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&linspace_of_tensors, /*writes_out=*/true},
};

void logspace(const Call& call);

inline constexpr Facts kLogspace{
    .family = &kExplicit,
    .name = "logspace",
    .params = "Scalar start, Scalar end, int steps, float base=10., *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: no input",
    .tangent = "none: no input",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&logspace, /*writes_out=*/true},
};

inline constexpr Facts kLogspaceTensorTensor{
    .family = &kExplicit,
    .name = "logspace.Tensor_Tensor",
    .params = "Tensor start, Tensor end, int steps, float base=10., *, $options",
    .forms = kFunctional | kOut,
    .out = "Tensor_Tensor_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&logspace, /*writes_out=*/true},
};

inline constexpr Facts kLogspaceTensorScalar{
    .family = &kExplicit,
    .name = "logspace.Tensor_Scalar",
    .params = "Tensor start, Scalar end, int steps, float base=10., *, $options",
    .forms = kFunctional | kOut,
    .out = "Tensor_Scalar_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&logspace, /*writes_out=*/true},
};

inline constexpr Facts kLogspaceScalarTensor{
    .family = &kExplicit,
    .name = "logspace.Scalar_Tensor",
    .params = "Scalar start, Tensor end, int steps, float base=10., *, $options",
    .forms = kFunctional | kOut,
    .out = "Scalar_Tensor_out",
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: not differentiable",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&logspace, /*writes_out=*/true},
};

}  // namespace ops

}  // namespace tenon::kernels
