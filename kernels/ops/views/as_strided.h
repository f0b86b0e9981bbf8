// SPDX-License-Identifier: Apache-2.0
// aten::as_strided: any strided view of a tensor's storage.
#pragma once

#include "kernels/common/families/view.h"

namespace tenon::kernels::ops {

void as_strided_view(View& view, const Call& call);

inline constexpr Facts kAsStrided{
    .family = &kView,
    .name = "as_strided",
    .params = "Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None",
    .returns = "Tensor(a)",
    .forms = kViewForms | kInPlace,
    .tags = "core",
    .gradient =
        "self: strided_scatter(grad, size, stride, "
        "if_none(storage_offset, self.storage_offset(), storage_offset), "
        "self.sizes(), self.strides(), self.storage_offset())",
    .tangent = "self_t.as_strided(size, stride, storage_offset)",
    .batching = Batching::View,
    .cast = Cast::None,
    .view = {&as_strided_view},
};

}  // namespace tenon::kernels::ops
