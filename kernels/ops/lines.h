// SPDX-License-Identifier: Apache-2.0
// Adapts 1-dim inputs to operators on images: adds a dim of size 1 before the last one.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Returns argument 0 with the additional dim. Refuses inputs that are neither lines of channels nor
// batches of them.
Tensor one_line(const Call& call);

// Returns an argument of one number, with `line` for the additional dim before it.
Dims of_one_line(const Call& call, int argument, int64_t line);

// Removes the additional dim.
Tensor without_line(const Tensor& lines);

}  // namespace tenon::kernels
