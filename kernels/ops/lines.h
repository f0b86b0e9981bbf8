// SPDX-License-Identifier: Apache-2.0
// What works on images, for inputs of one line: a dim of one before the last.
#pragma once

#include "kernels/common/call.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {

// Argument 0 with that dim; refuses one that is no line of channels, or a batch of such.
Tensor one_line(const Call& call);

// An argument of one number, with one for the new dim before it.
Dims of_one_line(const Call& call, int argument, int64_t line);

// Without that dim.
Tensor without_line(const Tensor& lines);

}  // namespace tenon::kernels
