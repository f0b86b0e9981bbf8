// SPDX-License-Identifier: Apache-2.0
// Shared by all upsampling operators: the requested sizes, and the distance of positions in the
// input.
#pragma once

#include <algorithm>

#include "kernels/common/resampling.h"

namespace tenon::kernels {

// The arguments along one dim.
struct Upsampled {
  int64_t size;
  double scale;  // the given scale; 0: the ratio of sizes
};

// Returns the index that a position in the input rounds down to, clamped to the dim. Positions that
// do not fit int64, and NaN, are clamped as well.
template <class Real>
int64_t index_of(Real place, int64_t size) {
  if (!(place >= Real(0))) return 0;
  return place < static_cast<Real>(size) ? std::min(static_cast<int64_t>(place), size - 1)
                                         : size - 1;
}

// Returns the arguments of dim `d` of `dims`; `sizes` and `scales` are argument positions.
Upsampled upsampled(const Call& call, int sizes, int scales, int d, size_t dims);

// Make the plan for an input that has a batch.
Resampling upsampling_plan(const Call& call, TapsOf taps_of);
Resampling upsampling_gradient_plan(const Call& call, TapsOf taps_of);

// Calls the operator's default overload, and computes the argument that is absent: sizes or scales.
void upsample_vec(const Call& call);

}  // namespace tenon::kernels
