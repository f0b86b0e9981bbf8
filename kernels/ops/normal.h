// SPDX-License-Identifier: Apache-2.0
// aten::normal_: sets every element to a random sample of a normal distribution.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/routine.h"

namespace tenon::kernels {

// Throws unless the tensor is floating or complex and can be written, and std is not negative.
void check_normal(const char* op, const tenon_tensor_info& self, double std);

namespace ops {

inline void normal_meta(const Call& call) {
  check_normal(call.op(), call.get<Tensor>(0)->info(), call.get<double>(2));
}

inline constexpr Facts kNormal{
    .family = &kRoutine,
    .name = "normal",
    .params = "Tensor self, float mean=0., float std=1., *, Generator? generator=None",
    .forms = kInPlace,
    .tags = "nondeterministic_seeded",
    .gradient = "self: zeros",
    .tangent = "zeros",
    .batching = Batching::Each,
    .cast = Cast::None,
    .routine = {&normal_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
