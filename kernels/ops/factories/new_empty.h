// SPDX-License-Identifier: Apache-2.0
// aten::new_empty: a tensor of other sizes with the dtype and device of another tensor;
// aten::new_zeros, new_ones, new_full and new_empty_strided.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::ops {

void new_empty(const Call& call);

inline constexpr Facts kNewEmpty{
    .family = &kExplicit,
    .name = "new_empty",
    .params = "Tensor self, SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Own,
    .batch = &batch_new,
    .cast = Cast::None,
    .routine = {&new_empty, /*writes_out=*/true},
};

void new_empty_strided(const Call& call);

inline constexpr Facts kNewEmptyStrided{
    .family = &kExplicit,
    .name = "new_empty_strided",
    .params = "Tensor self, SymInt[] size, SymInt[] stride, *, $options",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Own,
    .batch = &batch_new,
    .cast = Cast::None,
    .routine = {&new_empty_strided, /*writes_out=*/true},
};

void new_zeros(const Call& call);

inline constexpr Facts kNewZeros{
    .family = &kExplicit,
    .name = "new_zeros",
    .params = "Tensor self, SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Own,
    .batch = &batch_new,
    .cast = Cast::None,
    .routine = {&new_zeros, /*writes_out=*/true},
};

void new_ones(const Call& call);

inline constexpr Facts kNewOnes{
    .family = &kExplicit,
    .name = "new_ones",
    .params = "Tensor self, SymInt[] size, *, $options",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Own,
    .batch = &batch_new,
    .cast = Cast::None,
    .routine = {&new_ones, /*writes_out=*/true},
};

void new_full(const Call& call);

inline constexpr Facts kNewFull{
    .family = &kExplicit,
    .name = "new_full",
    .params = "Tensor self, SymInt[] size, Scalar fill_value, *, $options",
    .forms = kFunctional | kOut,
    .tags = "metadata_only",
    .gradient = "none: not differentiable",
    .tangent = "none: constant",
    .batching = Batching::Own,
    .batch = &batch_new,
    .cast = Cast::None,
    .routine = {&new_full, /*writes_out=*/true},
};

}  // namespace tenon::kernels::ops
