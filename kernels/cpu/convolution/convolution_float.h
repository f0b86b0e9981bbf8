// SPDX-License-Identifier: Apache-2.0
// Convolutions of floats by a library that was found when the kernels were built.
#pragma once

#include "kernels/ops/convolution/convolution.h"

namespace tenon::kernels::cpu {

enum class ConvolutionStep { Forward, Image, Weight };

// Does a convolution of row-major floats, and says so: from `image` and `weight` to `places`; from
// `places` and `weight` to `image`; or from both to `weight`. `bias` is of the places' channels,
// and only there in the first; NULL: none. False where it is left to the loops of others.
bool library_convolution(const char* op, ConvolutionStep step, const ConvolutionShape& shape,
                         float* image, float* weight, const float* bias, float* places);

}  // namespace tenon::kernels::cpu
