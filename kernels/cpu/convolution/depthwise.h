// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions: each group has a single channel of the image, so that results are not
// summed over channels, and matrix products would have only a few rows.
#pragma once

#include "kernels/ops/convolution/convolution.h"

namespace tenon::kernels::cpu {

// Returns true if the functions below serve a shape: it is depthwise over one or two dims, with
// strides of at most 4 and a kernel that does not reach too far for a tile.
bool is_depthwise(const ConvolutionShape& shape);

// Compute a step: from `image` and `weight` to `places`, from `places` and `weight` to `image`, and
// from both to `weight`. All are row-major, and no bias is added. is_depthwise(shape) must be true.
// If a function returns false, it has computed nothing: the kernel reaches too far, or there are
// too few channels for several threads.
void depthwise_to_places(const ConvolutionShape& shape, const float* image, const float* weight,
                         float* places);
void depthwise_to_places(const ConvolutionShape& shape, const double* image, const double* weight,
                         double* places);
bool depthwise_to_image(const ConvolutionShape& shape, const float* places, const float* weight,
                        float* image);
bool depthwise_to_image(const ConvolutionShape& shape, const double* places, const double* weight,
                        double* image);
bool depthwise_to_weight(const ConvolutionShape& shape, const float* image, const float* places,
                         float* weight);
bool depthwise_to_weight(const ConvolutionShape& shape, const double* image, const double* places,
                         double* weight);

}  // namespace tenon::kernels::cpu
