// SPDX-License-Identifier: Apache-2.0
// aten::index: the elements that index tensors and masks select.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/indexing.h"

namespace tenon::kernels {

// Checks the arguments and returns the result, which may be the call's `out`.
Tensor index_result(const Call& call, const tenon_tensor_info& self, const Indexing& indexing);

namespace ops {

void index_meta(const Call& call);

inline constexpr Facts kIndexTensor{
    .family = &kRoutine,
    .name = "index.Tensor",
    .params = "Tensor self, Tensor?[] indices",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "core dynamic_output_shape",
    .gradient = "self: index_backward(grad, self.sizes(), indices)",
    .tangent = "index(self_t, indices)",
    .batching = Batching::Own,
    .batch = &batch_index,
    .cast = Cast::None,
    .routine = {&index_meta},
};

// Like kIndex, for callers that guarantee indices in bounds; they are checked nevertheless.
inline constexpr Facts kUnsafeIndex{
    .family = &kSynonym,
    .name = "_unsafe_index.Tensor",
    .params = "Tensor self, Tensor?[] indices",
    .tags = "dynamic_output_shape",
    .gradient = "none: calls index",
    .tangent = "none: calls index",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kIndexTensor,
};

}  // namespace ops

}  // namespace tenon::kernels
