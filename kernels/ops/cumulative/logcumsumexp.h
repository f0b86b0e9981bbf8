// SPDX-License-Identifier: Apache-2.0
// aten::logcumsumexp: logarithms of the sums of exponentials of each element along a dim and all
// before it.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void logcumsumexp_meta(const Call& call);

inline constexpr Facts kLogcumsumexp{
    .family = &kRoutine,
    .name = "logcumsumexp",
    .params = "Tensor self, int dim",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "self: logcumsumexp_backward(grad, self, dim)",
    .tangent = "logcumsumexp_tangent(self_t, self, dim)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&logcumsumexp_meta},
};

void logcumsumexp_backward(const Call& call);

inline constexpr Facts kLogcumsumexpBackward{
    .family = &kComposite,
    .name = "logcumsumexp_backward",
    .params = "Tensor grad, Tensor self, int dim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&logcumsumexp_backward},
};

void logcumsumexp_tangent(const Call& call);

inline constexpr Facts kLogcumsumexpTangent{
    .family = &kComposite,
    .name = "logcumsumexp_tangent",
    .params = "Tensor tangent, Tensor self, int dim",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&logcumsumexp_tangent},
};

// Makes the result of a call, or takes the call's; `dim` is wrapped.
Tensor logcumsumexp_result(const Call& call, int64_t& dim);

}  // namespace tenon::kernels::ops
