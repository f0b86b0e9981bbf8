// SPDX-License-Identifier: Apache-2.0
// What losses share: how the losses of elements become one.
#pragma once

#include "kernels/ops/arithmetic.h"

namespace tenon::kernels {

// The losses, each by itself, their mean or their sum, by the number that is argument k.
Tensor reduced(const Call& call, int k, const Tensor& losses);

}  // namespace tenon::kernels
