// SPDX-License-Identifier: Apache-2.0
// Anomaly mode: records where each node was created and in which node's backward, and finds the
// node that produced a NaN.
#pragma once

#include <span>

#include "autograd/node/node.h"
#include "base/error.h"

namespace tenon::autograd {

/// Stores the current stack frames in a newly recorded node, which no other thread can see yet.
void note_frames(Node& node);

/// Adds a note to the error of a failed node that names the place where the node was created, if
/// that was recorded.
void note_origin(const Node& node, base::ErrorObject& error);

/// Throws TENON_ERROR_STATE if the gradient of an input contains a NaN.
void check_nan(const Node& node, std::span<tensor::Tensor* const> grads);

}  // namespace tenon::autograd
