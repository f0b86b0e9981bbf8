// SPDX-License-Identifier: Apache-2.0
// aten::fill: sets each element to a number, or to the element of a 0-dim tensor.
#pragma once

#include "kernels/common/batching/facts_batching.h"
#include "kernels/common/maths/element.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels {

// Throws if the tensor is read-only.
void check_fill_target(const char* op, const tenon_tensor_info& self);

// Throws if the number does not fit the tensor's dtype, or the tensor is read-only.
void check_fill(const char* op, const tenon_tensor_info& self, const Scalar& value);

namespace ops {

void fill_meta(const Call& call);

inline constexpr Facts kFillInPlace{
    .family = &kRoutine,
    .name = "fill.Scalar",
    .params = "Tensor self, Scalar value",
    .forms = kInPlace,
    .tags = "",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&fill_meta},
};

void fill(const Call& call);

inline constexpr Facts kFill{
    .family = &kExplicit,
    .name = "fill.Scalar",
    .params = "Tensor self, Scalar value",
    .forms = kFunctional | kOut,
    .out = "Scalar_out",
    .tags = "core",
    .gradient = "self: zeros_like(grad)",
    .tangent = "zeros",
    .batching = Batching::Pointwise,
    .cast = Cast::None,
    .routine = {&fill},
};

void fill_tensor_in_place(const Call& call);

inline constexpr Facts kFillTensorInPlace{
    .family = &kExplicit,
    .name = "fill.Tensor",
    .params = "Tensor self, Tensor value",
    .forms = kInPlace,
    .tags = "",
    .gradient = "self: zeros_like(grad); value: grad.sum()",
    .tangent = "value_t",
    .batching = Batching::Own,
    .node_number = 1,
    .batch = &batch_fill,
    .cast = Cast::None,
    .routine = {&fill_tensor_in_place},
};

void fill_tensor(const Call& call);

inline constexpr Facts kFillTensor{
    .family = &kExplicit,
    .name = "fill.Tensor",
    .params = "Tensor self, Tensor value",
    .forms = kFunctional | kOut,
    .out = "Tensor_out",
    .tags = "",
    .gradient = "self: zeros_like(grad); value: grad.sum()",
    .tangent = "value_t",
    .batching = Batching::Own,
    .node_number = 1,
    .batch = &batch_fill,
    .cast = Cast::None,
    .routine = {&fill_tensor},
};

}  // namespace ops

}  // namespace tenon::kernels
