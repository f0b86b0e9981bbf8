// SPDX-License-Identifier: Apache-2.0
// The `out` of composites that accept any dtype that the result can be cast to, as pointwise
// operators do.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels {

// Returns the result of a call, or copies it to the call's `out`, which is resized and keeps its
// dtype. Refuses an `out` of a dtype that the result cannot be cast to, one on another device, one
// that cannot be written, and one whose elements overlap.
void give_or_cast(const Call& call, Tensor made);

}  // namespace tenon::kernels
