// SPDX-License-Identifier: Apache-2.0
// Casts for wide instruction sets: those that blocks of small floats and mixed dtypes go through.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// The copying loop from one dtype to the other; NULL for other dtypes and on other processors.
Loop vector_cast_loop(Dtype to, Dtype from);

}  // namespace tenon::kernels::cpu
