// SPDX-License-Identifier: Apache-2.0
// Anomaly mode: where the node that failed was made, by which node's run, and which node gave NaN.
#pragma once

#include <span>

#include "autograd/node/node.h"
#include "base/error.h"

namespace tenon::autograd {

/// Makes a node that was just recorded know where that was. Nobody else sees it yet.
void note_frames(Node& node);

/// Adds to the error of a node that failed where it was made, if it knows.
void note_origin(const Node& node, base::ErrorObject& error);

/// Throws TENON_ERROR_STATE for a gradient of an input that has a NaN.
void check_nan(const Node& node, std::span<tensor::Tensor* const> grads);

}  // namespace tenon::autograd
