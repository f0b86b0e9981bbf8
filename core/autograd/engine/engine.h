// SPDX-License-Identifier: Apache-2.0
// The engine: runs a graph backward.
//
// Note: order of execution. Every edge leads to a node with a smaller sequence number, whichever
// threads created the nodes. The engine always runs the ready node with the largest number, so a
// node runs only after all of its gradients have arrived. This needs no prior pass that counts
// dependencies, and after a failure the queue holds exactly the gradients that must be released.
// Passes of several threads, and passes that a formula starts, can run over one graph at the same
// time: see ready_queue.h.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"

namespace tenon::autograd {

/// An output where a pass begins, and its initial gradient.
struct Root {
  NodePtr node;
  uint32_t output;
  tensor::TensorPtr grad;
};

/// An output whose gradient the caller requests.
struct Target {
  NodePtr node;
  uint32_t output;
};

struct PassOptions {
  bool keep_graph = false;
  bool create_graph = false;
};

/// Runs gradients from the roots to `leaves`, or to all leaves if that is empty, and adds them to
/// the leaves' grads.
void run_backward(std::span<const Root> roots, std::span<const Target> leaves,
                  const PassOptions& options);
/// Returns the gradient of each target, NULL for a target that no root depends on. Does not change
/// the grads of leaves.
std::vector<tensor::TensorPtr> run_grad(std::span<const Root> roots,
                                        std::span<const Target> targets,
                                        const PassOptions& options);

}  // namespace tenon::autograd
