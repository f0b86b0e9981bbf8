// SPDX-License-Identifier: Apache-2.0
// aten::float_power: powers in double precision, for any dtype.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void float_power(const Call& call);

inline constexpr Facts kFloatPowerTensorTensor{
    .family = &kComposite,
    .name = "float_power.Tensor_Tensor",
    .params = "Tensor self, Tensor exponent",
    .forms = kAllForms,
    .out = "Tensor_Tensor_out",
    .in_place = "Tensor",
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&float_power},
};

void float_power_number(const Call& call);

inline constexpr Facts kFloatPowerTensorScalar{
    .family = &kComposite,
    .name = "float_power.Tensor_Scalar",
    .params = "Tensor self, Scalar exponent",
    .forms = kAllForms,
    .out = "Tensor_Scalar_out",
    .in_place = "Scalar",
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&float_power_number},
};

void number_float_power(const Call& call);

inline constexpr Facts kFloatPowerScalar{
    .family = &kComposite,
    .name = "float_power.Scalar",
    .params = "Scalar self, Tensor exponent",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "pointwise",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::None,
    .routine = {&number_float_power},
};

}  // namespace tenon::kernels::ops
