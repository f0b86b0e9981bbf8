// SPDX-License-Identifier: Apache-2.0
// aten::view_as_real and view_as_complex: views of complex numbers as pairs of real ones, and back;
// aten::real and aten::imag: views of one of the parts.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

void parts_view(View& view, const Call& call);

inline constexpr Facts kViewAsReal{
    .family = &kView,
    .name = "view_as_real",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "inverse=aten::view_as_complex($part)",
    .gradient = "self: view_as_complex(grad.contiguous())",
    .tangent = "view_as_real(self_t)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&parts_view},
};

void pairs_view(View& view, const Call& call);

inline constexpr Facts kViewAsComplex{
    .family = &kView,
    .name = "view_as_complex",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .forms = kViewForms,
    .tags = "inverse=aten::view_as_real($part)",
    .gradient = "self: view_as_real(grad.contiguous())",
    .tangent = "view_as_complex(self_t)",
    .batching = Batching::View,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Fp32,
    .view = {&pairs_view},
};

void real(const Call& call);

inline constexpr Facts kReal{
    .family = &kComposite,
    .name = "real",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&real},
};

void imag(const Call& call);

inline constexpr Facts kImag{
    .family = &kComposite,
    .name = "imag",
    .params = "Tensor(a) self",
    .returns = "Tensor(a)",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&imag},
};

}  // namespace tenon::kernels::ops
