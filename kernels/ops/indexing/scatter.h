// SPDX-License-Identifier: Apache-2.0
// aten::scatter and aten::scatter_add: self with elements of a tensor, or a number, written or
// added at the indices along a dim in an index tensor.
#pragma once

#include "kernels/common/places.h"

namespace tenon::kernels {

// Checks the arguments, returns the tensor that is written, and wraps `dim`.
Tensor scatter_result(const Call& call, int64_t& dim);

namespace ops {

void scatter_meta(const Call& call);

inline constexpr Facts kScatterSrc{
    .family = &kRoutine,
    .name = "scatter.src",
    .params = "Tensor self, int dim, Tensor index, Tensor src",
    .forms = kAllForms,
    .out = "src_out",
    .tags = "core",
    .gradient = "self: scatter(grad, dim, index, 0); src: gather(grad, dim, index)",
    .tangent = "scatter(self_t, dim, index, 0) + scatter(zeros_like(result), dim, index, src_t)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&scatter_meta},
};
inline constexpr Facts kScatterValue{
    .family = &kRoutine,
    .name = "scatter.value",
    .params = "Tensor self, int dim, Tensor index, Scalar value",
    .forms = kAllForms,
    .out = "value_out",
    .tags = "core",
    .gradient = "self: scatter(grad, dim, index, 0)",
    .tangent = "scatter(self_t, dim, index, 0)",
    .batching = Batching::Shift,
    .node_number = 1,
    .cast = Cast::None,
    .routine = {&scatter_meta},
};
inline constexpr Facts kScatterAdd{
    .family = &kRoutine,
    .name = "scatter_add",
    .params = "Tensor self, int dim, Tensor index, Tensor src",
    .forms = kAllForms,
    .tags = "core",
    .gradient = "self: grad; src: gather(grad, dim, index)",
    .tangent = "self_t + scatter_add(zeros_like(result), dim, index, src_t)",
    .batching = Batching::Shift,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&scatter_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
