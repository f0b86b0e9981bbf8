// SPDX-License-Identifier: Apache-2.0
// aten::softmax and aten::log_softmax: exponentials along a dim, divided by their sum.
#pragma once

#include "kernels/common/facts.h"

namespace tenon::kernels::ops {

void softmax(const Call& call);

inline constexpr Facts kSoftmaxInt{
    .family = &kComposite,
    .name = "softmax.int",
    .params = "Tensor self, int dim, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "int_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&softmax},
};

void log_softmax(const Call& call);

inline constexpr Facts kLogSoftmaxInt{
    .family = &kComposite,
    .name = "log_softmax.int",
    .params = "Tensor self, int dim, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "int_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&log_softmax},
};

}  // namespace tenon::kernels::ops
