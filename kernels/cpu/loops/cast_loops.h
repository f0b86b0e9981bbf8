// SPDX-License-Identifier: Apache-2.0
// The loops that casts consist of.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// Returns the loop that casts from one dtype to the other in one step, for the instruction sets of
// this processor. It writes operand 0 and ignores ctx. NULL for pairs that need two steps.
Loop cast_loop(Dtype to, Dtype from);

}  // namespace tenon::kernels::cpu
