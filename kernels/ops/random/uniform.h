// SPDX-License-Identifier: Apache-2.0
// aten::uniform: sets each element to a random number in [from, to).
#pragma once

#include "kernels/common/families/routine.h"
#include "kernels/common/maths/element.h"

namespace tenon::kernels {

// Throws unless the tensor is floating or complex and writable, and [from, to) is a range of its
// dtype with a finite length.
void check_uniform(const char* op, const tenon_tensor_info& self, double from, double to);

namespace ops {

inline void uniform_meta(const Call& call) {
  check_uniform(call.op(), call.get<Tensor>(0)->info(), call.get<double>(1), call.get<double>(2));
}

inline constexpr Facts kUniformInPlace{
    .family = &kRoutine,
    .name = "uniform",
    .params = "Tensor self, float from=0., float to=1., *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&uniform_meta},
};

// Fills a new tensor like self.
void uniform(const Call& call);

inline constexpr Facts kUniform{
    .family = &kExplicit,
    .name = "uniform",
    .params = "Tensor self, float from=0., float to=1., *, Generator? generator=None",
    .forms = kFunctional | kOut,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&uniform},
};

}  // namespace ops

}  // namespace tenon::kernels
