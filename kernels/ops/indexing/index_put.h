// SPDX-License-Identifier: Apache-2.0
// aten::index_put: writes or adds values at the elements that index tensors and masks select.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"
#include "kernels/common/indexing.h"

namespace tenon::kernels {

// Returns the strides of `values` over the sizes of the selection. Throws unless it can be written
// there.
Dims check_index_put(const Call& call, const tenon_tensor_info& self,
                     const tenon_tensor_info& values, const Indexing& indexing);

namespace ops {

void index_put_meta(const Call& call);

inline constexpr Facts kIndexPutInPlace{
    .family = &kRoutine,
    .name = "index_put",
    .params = "Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False",
    .forms = kInPlace,
    .tags = "",
    .gradient = "self: index_put_backward(grad, indices, accumulate); values: index(grad, indices)",
    .tangent =
        "index_put_backward(self_t, indices, accumulate) + "
        "index_put(zeros_like(result), indices, values_t, accumulate)",
    .batching = Batching::Own,
    .batch = &batch_index_put,
    .cast = Cast::None,
    .routine = {&index_put_meta},
};

void index_put(const Call& call);

inline constexpr Facts kIndexPut{
    .family = &kExplicit,
    .name = "index_put",
    .params = "Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: index_put_backward(grad, indices, accumulate); values: index(grad, indices)",
    .tangent =
        "index_put_backward(self_t, indices, accumulate) + "
        "index_put(zeros_like(result), indices, values_t, accumulate)",
    .batching = Batching::Own,
    .batch = &batch_index_put,
    .cast = Cast::Widest,
    .cast_on_cpu = Cast::None,
    .routine = {&index_put},
};

}  // namespace ops

}  // namespace tenon::kernels
