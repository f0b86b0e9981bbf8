// SPDX-License-Identifier: Apache-2.0
// aten::exponential, aten::cauchy, aten::geometric and aten::log_normal: random numbers of these
// distributions.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void distribution_meta(const Call& call);

inline constexpr Facts kExponentialInPlace{
    .family = &kRoutine,
    .name = "exponential",
    .params = "Tensor self, float lambd=1., *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution_meta},
};

void distribution(const Call& call);

inline constexpr Facts kExponential{
    .family = &kExplicit,
    .name = "exponential",
    .params = "Tensor self, float lambd=1., *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution},
};

inline constexpr Facts kCauchyInPlace{
    .family = &kRoutine,
    .name = "cauchy",
    .params = "Tensor self, float median=0., float sigma=1., *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution_meta},
};

inline constexpr Facts kCauchy{
    .family = &kExplicit,
    .name = "cauchy",
    .params = "Tensor self, float median=0., float sigma=1., *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution},
};

inline constexpr Facts kGeometricInPlace{
    .family = &kRoutine,
    .name = "geometric",
    .params = "Tensor self, float p, *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution_meta},
};

inline constexpr Facts kGeometric{
    .family = &kExplicit,
    .name = "geometric",
    .params = "Tensor self, float p, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution},
};

inline constexpr Facts kLogNormalInPlace{
    .family = &kRoutine,
    .name = "log_normal",
    .params = "Tensor self, float mean=1., float std=2., *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution_meta},
};

inline constexpr Facts kLogNormal{
    .family = &kExplicit,
    .name = "log_normal",
    .params = "Tensor self, float mean=1., float std=2., *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&distribution},
};

// Refuses a self that cannot be written, dtypes that the distribution does not support, and invalid
// parameters.
void check_distribution(const Call& call);

}  // namespace tenon::kernels::ops
