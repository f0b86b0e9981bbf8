// SPDX-License-Identifier: Apache-2.0
// Convolutions of floats by a library, if the build found one.
#pragma once

#include "kernels/ops/convolution/convolution.h"

namespace tenon::kernels::cpu {

enum class ConvolutionStep { Forward, Image, Weight };

// Computes one step of a convolution of row-major floats: Forward writes `places` from `image` and
// `weight`, Image writes `image` from `places` and `weight`, and Weight writes `weight` from both.
// `bias` has a number for each channel of the places; it is NULL if there is none, and for the
// other two steps. Returns false, without computing anything, if the other loops should do it.
bool library_convolution(const char* op, ConvolutionStep step, const ConvolutionShape& shape,
                         float* image, float* weight, const float* bias, float* places);

}  // namespace tenon::kernels::cpu
