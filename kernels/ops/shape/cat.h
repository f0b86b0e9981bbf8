// SPDX-License-Identifier: Apache-2.0
// aten::cat: concatenates tensors along an existing dim.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels {

// Returns true if a tensor is ignored: a 1-dim empty tensor, which may be mixed with tensors of any
// dims.
bool cat_skips(const tenon_tensor_info& info);

// Checks the tensors and makes the result, or takes the call's `out`; `dim` is wrapped.
Tensor cat_result(const Call& call, TensorList tensors, int64_t& dim);

namespace ops {

void cat_meta(const Call& call);

inline constexpr Facts kCat{
    .family = &kRoutine,
    .name = "cat",
    .params = "Tensor[] tensors, int dim=0",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "tensors: cat_backward(grad, tensors.sizes(), dim)",
    .tangent = "cat(tensors_t, dim)",
    .batching = Batching::Own,
    .batch = &batch_join,
    .cast = Cast::None,
    .cast_on_cpu = Cast::Widest,
    .routine = {&cat_meta},
};

inline constexpr Facts kConcat{
    .family = &kSynonym,
    .name = "concat",
    .params = "Tensor[] tensors, int dim=0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls cat",
    .tangent = "none: calls cat",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kCat,
};

inline constexpr Facts kConcatenate{
    .family = &kSynonym,
    .name = "concatenate",
    .params = "Tensor[] tensors, int dim=0",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: calls cat",
    .tangent = "none: calls cat",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .tensor_form = &kCat,
};

}  // namespace ops

}  // namespace tenon::kernels
