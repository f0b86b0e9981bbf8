// SPDX-License-Identifier: Apache-2.0
// aten::bernoulli: ones with a given probability, otherwise zeros.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

// Refuses a self that cannot be written or has an unsupported dtype, and invalid probabilities.
void check_bernoulli(const Call& call);
// Like check_bernoulli(), for a tensor of probabilities, which must broadcast to self.
void check_bernoulli_tensor(const Call& call);

inline constexpr Facts kBernoulliFloatInPlace{
    .family = &kRoutine,
    .name = "bernoulli.float",
    .params = "Tensor self, float p=0.5, *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&check_bernoulli},
};

inline constexpr Facts kBernoulliTensorInPlace{
    .family = &kRoutine,
    .name = "bernoulli.Tensor",
    .params = "Tensor self, Tensor p, *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad); p: zeros_like(p)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&check_bernoulli_tensor},
};

void bernoulli_number(const Call& call);

inline constexpr Facts kBernoulliP{
    .family = &kExplicit,
    .name = "bernoulli.p",
    .params = "Tensor self, float p, *, Generator? generator=None",
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&bernoulli_number},
};

inline constexpr Facts kBernoulliFloatOut{
    .family = &kExplicit,
    .name = "bernoulli.float",
    .params = "Tensor self, float p=0.5, *, Generator? generator=None",
    .forms = kOut,
    .out = "float_out",
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&bernoulli_number},
};

void bernoulli_tensor(const Call& call);

inline constexpr Facts kBernoulliTensor{
    .family = &kExplicit,
    .name = "bernoulli.Tensor",
    .params = "Tensor self, Tensor p, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "generated nondeterministic_seeded",
    .gradient = "self: zeros_like(grad); p: zeros_like(p)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&bernoulli_tensor},
};

void bernoulli(const Call& call);

inline constexpr Facts kBernoulli{
    .family = &kExplicit,
    .name = "bernoulli",
    .params = "Tensor self, *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&bernoulli},
};

}  // namespace tenon::kernels::ops
