// SPDX-License-Identifier: Apache-2.0
// aten::linalg_det and aten::linalg_slogdet: determinants, and their signs and logarithms.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void linalg_det_of(const Call& call);

inline constexpr Facts kInnerLinalgDet{
    .family = &kExplicit,
    .name = "_linalg_det",
    .params = "Tensor A",
    .returns = "(Tensor result, Tensor LU, Tensor pivots)",
    .forms = kFunctional | kOut,
    .out = "result",
    .outs = "result, LU, pivots",
    .tags = "",
    .gradient = "A: linalg_det_backward(grad, result, A)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_det_of},
};

void linalg_slogdet_of(const Call& call);

inline constexpr Facts kInnerLinalgSlogdet{
    .family = &kExplicit,
    .name = "_linalg_slogdet",
    .params = "Tensor A",
    .returns = "(Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
    .forms = kFunctional | kOut,
    .out = "sign",
    .outs = "sign, logabsdet, LU, pivots",
    .tags = "",
    .gradient = "A: linalg_slogdet_backward(grads[0], grads[1], sign, A)",
    .tangent = "derived",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&linalg_slogdet_of},
};

void linalg_det(const Call& call);

inline constexpr Facts kLinalgDet{
    .family = &kComposite,
    .name = "linalg_det",
    .params = "Tensor A",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_det},
};

inline constexpr Facts kDet{
    .family = &kComposite,
    .name = "det",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_det},
};

void linalg_slogdet(const Call& call);

inline constexpr Facts kLinalgSlogdet{
    .family = &kComposite,
    .name = "linalg_slogdet",
    .params = "Tensor A",
    .returns = "(Tensor sign, Tensor logabsdet)",
    .forms = kFunctional | kOut,
    .outs = "sign, logabsdet",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_slogdet},
};

inline constexpr Facts kSlogdet{
    .family = &kComposite,
    .name = "slogdet",
    .params = "Tensor self",
    .returns = "(Tensor sign, Tensor logabsdet)",
    .forms = kFunctional | kOut,
    .outs = "sign, logabsdet",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_slogdet},
};

void logdet(const Call& call);

inline constexpr Facts kLogdet{
    .family = &kComposite,
    .name = "logdet",
    .params = "Tensor self",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&logdet},
};

void linalg_det_backward(const Call& call);

inline constexpr Facts kLinalgDetBackward{
    .family = &kComposite,
    .name = "linalg_det_backward",
    .params = "Tensor grad, Tensor det, Tensor A",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_det_backward},
};

void linalg_slogdet_backward(const Call& call);

inline constexpr Facts kLinalgSlogdetBackward{
    .family = &kComposite,
    .name = "linalg_slogdet_backward",
    .params = "Tensor grad_sign, Tensor grad_log, Tensor sign, Tensor A",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&linalg_slogdet_backward},
};

}  // namespace tenon::kernels::ops
