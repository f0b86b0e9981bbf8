// SPDX-License-Identifier: Apache-2.0
// Conversions between float16 and float32 by the processor, where it has them.
#pragma once

#include "kernels/common/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// The copying loop from one dtype to the other; NULL for other dtypes and on other processors.
Loop half_cast_loop(Dtype to, Dtype from);

}  // namespace tenon::kernels::cpu
