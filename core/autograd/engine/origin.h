// SPDX-License-Identifier: Apache-2.0
// Origin: where a node was made, in anomaly mode, and by which node's run.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"
#include "base/intrusive_ptr.h"

namespace tenon::autograd {

/// It keeps no node, so that graphs end as they do without.
struct Origin final : base::RefCounted<Origin> {
  // Gradients of gradients make chains: their links end one after the other.
  ~Origin() {
    base::IntrusivePtr<Origin> next = std::move(made_by);
    while (next != nullptr && next->unique()) next = std::move(next->made_by);
  }
  std::string name;                    // of the node
  base::ErrorPtr frames;               // empty where the node was made without anomaly mode
  base::IntrusivePtr<Origin> made_by;  // of the node that ran backward meanwhile, if one did
};

}  // namespace tenon::autograd
