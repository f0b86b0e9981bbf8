// SPDX-License-Identifier: Apache-2.0
// Effects: which nodes of a graph must stay as they are, and which values change after they were
// made.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/references.h"

namespace tenon::graph {

/// Whether an operator draws random numbers, or is not defined any more.
bool is_random(const tenon_op& op);

class Effects {
 public:
  /// Throws TENON_ERROR_NOT_SUPPORTED for an operator that has no schema any more.
  explicit Effects(const Graph& graph);

  /// Whether the node writes, draws random numbers or gives nothing: it stays, in its place.
  bool has_effect(size_t node) const { return effects_[node]; }
  /// Whether all that the node does is to make new values of its arguments.
  bool is_functional(size_t node) const { return functional_[node]; }
  /// Whether a node writes to the memory of the value.
  bool is_written(uint32_t value) const { return written_[group(value)]; }

 private:
  uint32_t group(uint32_t value) const noexcept {
    while (groups_[value] != value) value = groups_[value];
    return value;
  }
  void join(uint32_t a, uint32_t b) { groups_[group(a)] = group(b); }

  std::vector<bool> effects_, functional_, written_;
  std::vector<uint32_t> groups_;  // values that may share memory: towards one of theirs
};

}  // namespace tenon::graph
