// SPDX-License-Identifier: Apache-2.0
// Effects: which nodes of a graph must be kept in place, and which values change after they are
// made.
#pragma once

#include <vector>

#include "graph/graph.h"
#include "graph/references.h"

namespace tenon::graph {

/// Returns true if an operator draws random numbers, or is no longer defined.
bool is_random(const tenon_op& op);

class Effects {
 public:
  /// Throws TENON_ERROR_NOT_SUPPORTED for an operator that no longer has a schema.
  explicit Effects(const Graph& graph);

  /// Returns true if the node writes, draws random numbers or has no results, and so must stay in
  /// its place.
  bool has_effect(size_t node) const { return effects_[node]; }
  /// Returns true if the node only makes new values from its arguments.
  bool is_functional(size_t node) const { return functional_[node]; }
  /// Returns true if some node writes to the memory of the value.
  bool is_written(uint32_t value) const { return written_[group(value)]; }

 private:
  uint32_t group(uint32_t value) const noexcept {
    while (groups_[value] != value) value = groups_[value];
    return value;
  }
  void join(uint32_t a, uint32_t b) { groups_[group(a)] = group(b); }

  std::vector<bool> effects_, functional_, written_;
  std::vector<uint32_t> groups_;  // union-find forest of values that may share memory
};

}  // namespace tenon::graph
