// SPDX-License-Identifier: Apache-2.0
// What all operators of upsampling share: the sizes that are asked for, and how far apart places
// are in the input.
#pragma once

#include <algorithm>

#include "kernels/common/resampling.h"

namespace tenon::kernels {

// Along one dim.
struct Upsampled {
  int64_t size;
  double scale;  // that was given; 0: the ratio of sizes
};

// Returns the index that a place of the input rounds down to, moved into the dim. Places that no
// int64 holds, and NaN, have one, too.
template <class Real>
int64_t index_of(Real place, int64_t size) {
  if (!(place >= Real(0))) return 0;
  return place < static_cast<Real>(size) ? std::min(static_cast<int64_t>(place), size - 1)
                                         : size - 1;
}

// Of `dims` dims the one of number `d`, from the positions of sizes and of the first scale.
Upsampled upsampled(const Call& call, int sizes, int scales, int d, size_t dims);

// Of an input that has a batch.
Resampling upsampling_plan(const Call& call, TapsOf taps_of);
Resampling upsampling_gradient_plan(const Call& call, TapsOf taps_of);

// Calls the operator without its overload with what is left out: sizes, or scales.
void upsample_vec(const Call& call);

}  // namespace tenon::kernels
