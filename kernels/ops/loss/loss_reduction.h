// SPDX-License-Identifier: Apache-2.0
// Reduction of the losses of elements, shared by all losses.
#pragma once

#include "kernels/ops/arithmetic.h"

namespace tenon::kernels {

// Returns the separate losses, their mean or their sum, depending on the number in argument k.
Tensor reduced(const Call& call, int k, const Tensor& losses);

}  // namespace tenon::kernels
