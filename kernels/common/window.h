// SPDX-License-Identifier: Apache-2.0
// Window: what slides over the last two dims of a tensor, for convolutions and pooling.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Along one dim.
struct Slide {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;

  // From the first element that the window sees to the last, both included.
  int64_t reach() const { return dilation * (kernel - 1) + 1; }
};

struct Window {
  Slide along[2];

  // Arguments of the call by position, each an int[2]; an empty list of strides is the kernel's.
  // Throws for numbers that are no window.
  static Window of(const Call& call, int kernel, int stride, int padding, int dilation);

  // At how many places it fits into `size` elements of dim d and the padding on both sides; with
  // `ceil` the last one may reach beyond the end, if it begins before. Throws where there is none.
  int64_t places(const char* op, int d, int64_t size, bool ceil = false) const;
};

}  // namespace tenon::kernels
