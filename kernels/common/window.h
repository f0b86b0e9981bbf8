// SPDX-License-Identifier: Apache-2.0
// Window: a kernel that slides over the last dims of a tensor, for convolutions and pooling.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Maximum number of dims of a window.
inline constexpr int kMostSlides = 3;

// The window along one dim.
struct Slide {
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;

  // Returns the distance from the first to the last element in the window, both included.
  int64_t reach() const { return dilation * (kernel - 1) + 1; }

  // Refuses numbers whose reach or whose padding on both sides overflows. Call it after
  // read_slides() and before reach().
  void check(const char* op) const;

  // Returns the number of positions at which the window fits into `size` elements and the padding
  // on both sides. With `ceil`, the last window may extend past the end if it starts before it.
  // Throws if the window does not fit at all.
  int64_t places(const char* op, int64_t size, bool ceil = false) const;
};

struct Window {
  Slide along[kMostSlides];

  // Reads the arguments at these positions. Each has a number for each of `dims` dims, or one
  // number for all. An empty list of strides means the kernel's sizes, and a `dilation` position of
  // -1 means that the operator has no dilation. Throws for invalid numbers.
  static Window of(const Call& call, int kernel, int stride, int padding, int dilation,
                   int dims = 2);

  // See Slide::places().
  int64_t places(const char* op, int d, int64_t size, bool ceil = false) const {
    return along[d].places(op, size, ceil);
  }
};

// Refuses an argument that does not have `count` numbers.
void check_count(const Call& call, int argument, int64_t count);

// Reads one number for each of `count` dims from an argument that has `count` numbers, or one for
// all. Throws if a number is below `least`.
void read_slides(const Call& call, int argument, int64_t least, int64_t count,
                 int64_t Slide::*member, Slide* along);

// Returns the strides of a result of these sizes in the channels-last format of `self`; nullopt if
// `self` is row-major or not in a channels-last format.
std::optional<Dims> channels_last_like(const char* op, const tenon_tensor_info& self, Sizes sizes);

}  // namespace tenon::kernels
