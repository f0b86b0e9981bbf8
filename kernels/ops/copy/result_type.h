// SPDX-License-Identifier: Apache-2.0
// aten::result_type: the dtype that two operands are computed in; aten::can_cast and
// aten::promote_types: the rules for dtypes only.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void result_type(const Call& call);

inline constexpr Facts kResultType{
    .family = &kComposite,
    .name = "result_type.Tensor",
    .params = "Tensor tensor, Tensor other",
    .returns = "ScalarType",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&result_type},
};

inline constexpr Facts kResultTypeScalar{
    .family = &kComposite,
    .name = "result_type.Scalar",
    .params = "Tensor tensor, Scalar other",
    .returns = "ScalarType",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&result_type},
};

inline constexpr Facts kResultTypeScalarTensor{
    .family = &kComposite,
    .name = "result_type.Scalar_Tensor",
    .params = "Scalar scalar, Tensor tensor",
    .returns = "ScalarType",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&result_type},
};

inline constexpr Facts kResultTypeScalars{
    .family = &kComposite,
    .name = "result_type.Scalar_Scalar",
    .params = "Scalar scalar1, Scalar scalar2",
    .returns = "ScalarType",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&result_type},
};

void can_cast_dtype(const Call& call);

inline constexpr Facts kCanCast{
    .family = &kComposite,
    .name = "can_cast",
    .params = "ScalarType from_, ScalarType to",
    .returns = "bool",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&can_cast_dtype},
};

void promote_types(const Call& call);

inline constexpr Facts kPromoteTypes{
    .family = &kComposite,
    .name = "promote_types",
    .params = "ScalarType type1, ScalarType type2",
    .returns = "ScalarType",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&promote_types},
};

}  // namespace tenon::kernels::ops
