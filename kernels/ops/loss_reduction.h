// SPDX-License-Identifier: Apache-2.0
// What losses share: how the losses of elements become one, and the arithmetic that they are made
// of.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels {

// The losses, each by itself, their mean or their sum, by the number that is argument k.
Tensor reduced(const Call& call, int k, const Tensor& losses);

// Arithmetic through the dispatcher.
Tensor call_mul(const Tensor& a, const Tensor& b);
Tensor call_mul(const Tensor& a, double b);
Tensor call_add(const Tensor& a, const Tensor& b);
Tensor call_add(const Tensor& a, double b);
Tensor call_sub(const Tensor& a, const Tensor& b);
// b - a, as numbers stand in front of few operators.
Tensor call_rsub(double b, const Tensor& a);
Tensor call_div(const Tensor& a, const Tensor& b);
Tensor call_clamp_min(const Tensor& a, double bound);
Tensor call_neg(const Tensor& a);
Tensor call_sum(const Tensor& a, int64_t dim, bool keepdim = false);
}  // namespace tenon::kernels
