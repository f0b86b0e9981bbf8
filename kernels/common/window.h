// SPDX-License-Identifier: Apache-2.0
// Window: what slides over the last dims of a tensor, for convolutions and pooling.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// So many dims a window has at most.
inline constexpr int kMostSlides = 3;

// Along one dim.
struct Slide {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;

  // From the first element that the window sees to the last, both included.
  int64_t reach() const { return dilation * (kernel - 1) + 1; }

  // Refuses numbers whose reach or whose padding on both sides overflows. read_slides() has read
  // them; reach() may be called afterwards.
  void check(const char* op) const;

  // At how many places it fits into `size` elements and the padding on both sides; with `ceil` the
  // last one may reach beyond the end, if it begins before. Throws where there is none.
  int64_t places(const char* op, int64_t size, bool ceil = false) const;
};

struct Window {
  Slide along[kMostSlides];

  // Arguments of the call by position, each with a number for each of so many dims, or one for all;
  // an empty list of strides is the kernel's, and a dilation of -1 there is none. Throws for
  // numbers that are no window.
  static Window of(const Call& call, int kernel, int stride, int padding, int dilation,
                   int dims = 2);

  // See Slide::places.
  int64_t places(const char* op, int d, int64_t size, bool ceil = false) const {
    return along[d].places(op, size, ceil);
  }
};

// Refuses an argument that has not `count` numbers.
void check_count(const Call& call, int argument, int64_t count);

// Reads one number of each of `count` dims from an argument that has as many, or one for all.
// Throws for one below `least`.
void read_slides(const Call& call, int argument, int64_t least, int64_t count,
                 int64_t Slide::*member, Slide* along);

// Strides of a result of these sizes in the channels-last format that a tensor of as many dims has;
// none where that is row-major or in no such format.
std::optional<Dims> channels_last_like(const char* op, const tenon_tensor_info& self, Sizes sizes);

}  // namespace tenon::kernels
