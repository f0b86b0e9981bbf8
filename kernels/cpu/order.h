// SPDX-License-Identifier: Apache-2.0
// Puts the lines of a CPU tensor in order.
#pragma once

#include "kernels/common/ordered.h"

namespace tenon::kernels::cpu {

// Writes values and indices. NaN counts as the largest; equals keep their order.
void order_lines(const char* op, const Ordered& ordered);

}  // namespace tenon::kernels::cpu
