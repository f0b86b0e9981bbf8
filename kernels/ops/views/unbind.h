// SPDX-License-Identifier: Apache-2.0
// aten::unbind: views of all slices of a dim, without that dim.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void unbind(const Call& call);

inline constexpr Facts kUnbind{
    .family = &kExplicit,
    .name = "unbind.int",
    .params = "Tensor(a -> *) self, int dim=0",
    .returns = "Tensor(a)[]",
    .tags = "inverse=aten::select_scatter($base,$part,dim,$index)",
    .gradient = "self: stack(grads, dim)",
    .tangent = "derived",
    .batching = Batching::View,
    .cast = Cast::None,
    .routine = {&unbind},
};

}  // namespace tenon::kernels::ops
