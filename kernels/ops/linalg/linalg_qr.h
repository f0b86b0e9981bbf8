// SPDX-License-Identifier: Apache-2.0
// aten::linalg_qr: Q R = A, with orthonormal columns of Q and an upper triangle R.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels::ops {

void linalg_qr_meta(const Call& call);

inline constexpr Facts kLinalgQr{
    .family = &kRoutine,
    .name = "linalg_qr",
    .params = "Tensor A, str mode=\"reduced\"",
    .returns = "(Tensor Q, Tensor R)",
    .forms = kFunctional | kOut,
    .outs = "Q, R",
    .tags = "",
    .gradient = "A: linalg_qr_backward(grads[0], grads[1], Q, R, mode)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .routine = {&linalg_qr_meta},
};

void linalg_qr_backward(const Call& call);

inline constexpr Facts kLinalgQrBackward{
    .family = &kComposite,
    .name = "linalg_qr_backward",
    .params = "Tensor grad_Q, Tensor grad_R, Tensor Q, Tensor R, str mode",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_qr_backward},
};

// The results of a call with checked arguments, both column-major. Q is empty in mode "r".
struct QrFactors {
  Tensor q;
  Tensor r;
  bool is_complete;
  bool has_q;
};
QrFactors qr_factors_of(const Call& call);

}  // namespace tenon::kernels::ops
