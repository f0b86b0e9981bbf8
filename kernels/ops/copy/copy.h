// SPDX-License-Identifier: Apache-2.0
// aten::copy: writes the elements of a tensor, broadcast and cast, to another one.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// Throws unless `src` broadcasts to the sizes of `self`, and `self` can be written from it.
void check_copy(const tenon_tensor_info& self, const tenon_tensor_info& src);

namespace ops {

void copy_meta(const Call& call);

inline constexpr Facts kCopyInPlace{
    .family = &kRoutine,
    .name = "copy",
    .params = "Tensor self, Tensor src, bool non_blocking=False",
    .forms = kInPlace,
    .tags = "",
    .gradient = "self: zeros_like(grad); src: grad",
    .tangent = "src_t",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&copy_meta},
};

void copy(const Call& call);

inline constexpr Facts kCopy{
    .family = &kExplicit,
    .name = "copy",
    .params = "Tensor self, Tensor src, bool non_blocking=False",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: zeros_like(grad); src: grad",
    .tangent = "src_t",
    .batching = Batching::Own,
    .batch = &batch_copy,
    .cast = Cast::None,
    .routine = {&copy},
};

}  // namespace ops

}  // namespace tenon::kernels
