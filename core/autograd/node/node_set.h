// SPDX-License-Identifier: Apache-2.0
// NodeSet: nodes that a walk has seen. Those of small graphs need no memory of their own.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "autograd/node/node.h"
#include "base/small_vector.h"

namespace tenon::autograd {

class NodeSet {
 public:
  bool empty() const noexcept { return few_.empty() && many_.empty(); }
  bool contains(const Node* node) const {
    return many_.empty() ? std::ranges::find(few_, node) != few_.end() : many_.contains(node);
  }
  /// False where it is there already. Throws std::bad_alloc.
  bool insert(const Node* node) {
    if (many_.empty()) {
      if (contains(node)) return false;
      if (few_.size() < kFew) {
        few_.push_back(node);
        return true;
      }
      many_.insert(few_.begin(), few_.end());
      few_.clear();
    }
    return many_.insert(node).second;
  }

 private:
  static constexpr size_t kFew = 16;
  base::SmallVector<const Node*, kFew> few_;  // empty once there are many
  std::unordered_set<const Node*> many_;
};

}  // namespace tenon::autograd
