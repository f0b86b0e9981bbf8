// SPDX-License-Identifier: Apache-2.0
// The `out` of composites that, as pointwise operators do, write any dtype that their result can be
// cast to.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels {

// Hands over the result of a call: gives it, or writes it to the call's `out`, which gets its sizes
// and keeps its own dtype. Refuses an `out` that it cannot be cast to, one on another device, one
// that cannot be written, and one with several elements at one place.
void give_or_cast(const Call& call, Tensor made);

}  // namespace tenon::kernels
