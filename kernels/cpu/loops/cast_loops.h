// SPDX-License-Identifier: Apache-2.0
// The loops that casts are made of.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// The loop from one dtype to the other in one step, for the instruction sets of this processor: it
// writes operand 0 and reads no ctx. NULL for pairs that take two steps.
Loop cast_loop(Dtype to, Dtype from);

}  // namespace tenon::kernels::cpu
