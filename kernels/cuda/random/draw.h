// SPDX-License-Identifier: Apache-2.0
// Launches of operators that draw random numbers.
#pragma once

#include "kernels/common/call.h"
#include "kernels/cuda/random/random_launch.h"

namespace tenon::kernels::cuda {

// Returns the generator state from which the elements of `self` are drawn, and advances the
// generator, which is the optional argument `generator`. Elements with `is_wide` use two numbers
// each.
PhiloxOffset place_of(const Call& call, int generator, const tenon_tensor_info& self, bool is_wide);

// Fills `self` with numbers of a distribution; each part of a complex element is drawn separately.
void draw(const Call& call, int generator, Distribution which, double a, double b = 0);

}  // namespace tenon::kernels::cuda
