// SPDX-License-Identifier: Apache-2.0
// aten::where: elements of self where the condition is true, otherwise those of other.
#pragma once

#include "kernels/common/facts.h"
#include "kernels/common/maths/complex.h"

namespace tenon::kernels::ops {

template <class T>
struct Where {
  TENON_FUNCTOR T operator()(bool condition, T x, T y) const { return condition ? x : y; }
};

inline constexpr Facts kWhereSelf{
    .family = &kPointwise,
    .name = "where.self",
    .params = "Tensor condition, Tensor self, Tensor other",
    .forms = kFunctional | kOut,
    .out = "self_out",
    .tags = kPointwiseWithNumbers,
    .gradient = "self: where(condition, grad, 0); other: where(condition, 0, grad)",
    .tangent = "where(condition, self_t, 0) + where(condition, 0, other_t)",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .pointwise = {.rule = {kStoredDtypes}, .masks = 1, .reads = Reads::Nothing, .exact_outs = true},
};

// Accepts a number in place of self or other, weakest in promotion.
void where_numbers(const Call& call);

inline constexpr Facts kWhereScalar{
    .family = &kComposite,
    .name = "where.Scalar",
    .params = "Tensor condition, Scalar self, Scalar other",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&where_numbers},
};
inline constexpr Facts kWhereScalarSelf{
    .family = &kComposite,
    .name = "where.ScalarSelf",
    .params = "Tensor condition, Scalar self, Tensor other",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&where_numbers},
};
inline constexpr Facts kWhereScalarOther{
    .family = &kComposite,
    .name = "where.ScalarOther",
    .params = "Tensor condition, Tensor self, Scalar other",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&where_numbers},
};

// Returns the indices of nonzero elements, one tensor for each dim.
void where_indices(const Call& call);

inline constexpr Facts kWhere{
    .family = &kComposite,
    .name = "where",
    .params = "Tensor condition",
    .returns = "Tensor[]",
    .tags = "",
    .gradient = "none: indices",
    .tangent = "none: indices",
    .batching = Batching::None,
    .cast = Cast::None,
    .routine = {&where_indices},
};

}  // namespace tenon::kernels::ops
