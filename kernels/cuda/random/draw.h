// SPDX-License-Identifier: Apache-2.0
// From a call of an operator that draws random numbers to its launch.
#pragma once

#include "kernels/common/call.h"
#include "kernels/cuda/random/random_launch.h"

namespace tenon::kernels::cuda {

// Where the elements of a tensor that is `self` and written get their numbers from; argument
// `generator` is an optional generator. `is_wide` ones take two numbers each.
PhiloxPlace place_of(const Call& call, int generator, const tenon_tensor_info& self, bool is_wide);

// Fills `self`, the parts of its elements where they are complex, with numbers of a distribution.
void draw(const Call& call, int generator, Distribution which, double a, double b = 0);

}  // namespace tenon::kernels::cuda
