// SPDX-License-Identifier: Apache-2.0
// aten::gather: for each element of an index tensor, the element of self at that index along a dim.
#pragma once

#include "kernels/common/places.h"

namespace tenon::kernels {

// Checks the arguments and returns the result, which may be the call's `out`; `dim` is wrapped.
Tensor gather_result(const Call& call, int64_t& dim);

namespace ops {

void gather_meta(const Call& call);

inline constexpr Facts kGather{
    .family = &kRoutine,
    .name = "gather",
    .params = "Tensor self, int dim, Tensor index, *, bool sparse_grad=False",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: gather_backward(grad, self.sizes(), dim, index)",
    .tangent = "gather(self_t, dim, index)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&gather_meta},
};

void gather_backward(const Call& call);

// The gradient of self: elements of `grad` are added where they were gathered from; 0 elsewhere.
inline constexpr Facts kGatherBackward{
    .family = &kComposite,
    .name = "gather_backward",
    .params = "Tensor grad, SymInt[] sizes, int dim, Tensor index",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&gather_backward},
};

void take_along_dim(const Call& call);

inline constexpr Facts kTakeAlongDim{
    .family = &kComposite,
    .name = "take_along_dim",
    .params = "Tensor self, Tensor indices, int? dim=None",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&take_along_dim},
};

}  // namespace ops

}  // namespace tenon::kernels
