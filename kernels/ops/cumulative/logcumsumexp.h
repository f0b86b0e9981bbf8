// SPDX-License-Identifier: Apache-2.0
// aten::logcumsumexp: the logarithm of running sums of exponentials along a dim.
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

// Returns a new result or the call's `out`, and wraps `dim`.
Tensor logcumsumexp_result(const Call& call, int64_t& dim);

}  // namespace tenon::kernels::ops
