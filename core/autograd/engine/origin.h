// SPDX-License-Identifier: Apache-2.0
// Origin: in anomaly mode, where a node was created, and by which node's backward.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "base/intrusive_ptr.h"

namespace tenon::autograd {

/// Holds no reference to nodes, so graphs are released exactly as without anomaly mode.
struct Origin final : base::RefCounted<Origin> {
  // Gradients of gradients make long chains: release them iteratively to avoid deep recursion.
  ~Origin() {
    base::IntrusivePtr<Origin> next = std::move(made_by);
    while (next != nullptr && next->unique()) next = std::move(next->made_by);
  }
  std::string name;                    // name of the node
  base::ErrorPtr frames;               // NULL if the node was created without anomaly mode
  base::IntrusivePtr<Origin> made_by;  // origin of the node whose backward created this one, if any
};

}  // namespace tenon::autograd
