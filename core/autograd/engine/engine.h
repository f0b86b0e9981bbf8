// SPDX-License-Identifier: Apache-2.0
// The engine: runs a graph backward.
//
// Every edge leads to a node with a smaller sequence number, on whichever threads nodes were made:
// taking the largest number first is an order in which each node has all its gradients before it
// runs. No first pass counts what each one waits for, and after a failure the queue holds exactly
// what is to be given back. Passes of many threads, and those that a formula starts, run over one
// graph at once: waiting.h says how.
#pragma once

#include <span>
#include <vector>

#include "autograd/node/node.h"

namespace tenon::autograd {

/// Where a pass begins: an output, and the gradient that it begins with.
struct Root {
  NodePtr node;
  uint32_t output;
  tensor::TensorPtr grad;
};

/// Where gradients are asked for.
struct Target {
  NodePtr node;
  uint32_t output;
};

struct PassOptions {
  bool keep_graph = false;
  bool create_graph = false;
};

/// Gradients flow from the roots to some leaves, or to all where none are named, and are added to
/// those that are there.
void run_backward(std::span<const Root> roots, std::span<const Target> leaves,
                  const PassOptions& options);
/// The gradients of targets, empty for one that no root depends on; leaves get none.
std::vector<tensor::TensorPtr> run_grad(std::span<const Root> roots,
                                        std::span<const Target> targets,
                                        const PassOptions& options);

}  // namespace tenon::autograd
