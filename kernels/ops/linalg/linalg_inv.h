// SPDX-License-Identifier: Apache-2.0
// aten::linalg_inv_ex: inverses of square matrices, and the first pivot that is zero;
// aten::linalg_inv and aten::inverse, which refuse singular matrices.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_inv_meta(const Call& call);

inline constexpr Facts kLinalgInvEx{
    .family = &kRoutine,
    .name = "linalg_inv_ex",
    .params = "Tensor A, *, bool check_errors=False",
    .returns = "(Tensor inverse, Tensor info)",
    .forms = kFunctional | kOut,
    .out = "inverse",
    .outs = "inverse, info",
    .tags = "",
    .gradient = "A: linalg_inv_backward(grad, inverse)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_inv_meta},
};

void linalg_inv(const Call& call);

inline constexpr Facts kLinalgInv{
    .family = &kComposite,
    .name = "linalg_inv",
    .params = "Tensor A",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_inv},
};

inline constexpr Facts kInverse{
    .family = &kComposite,
    .name = "inverse",
    .params = "Tensor self",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_inv},
};

void linalg_inv_backward(const Call& call);

inline constexpr Facts kLinalgInvBackward{
    .family = &kComposite,
    .name = "linalg_inv_backward",
    .params = "Tensor grad, Tensor inverse",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_inv_backward},
};

// The results of a call with a checked argument, both column-major.
struct Inverse {
  Tensor inverse;
  Tensor info;
};
Inverse inverse_of(const Call& call);

}  // namespace tenon::kernels::ops
