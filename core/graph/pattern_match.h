// SPDX-License-Identifier: Apache-2.0
// Matches of a pattern, which is a graph, in another graph.
#pragma once

#include <optional>
#include <vector>

#include "graph/effects.h"
#include "graph/graph.h"

namespace tenon::graph {

/// The function that errors name.
constexpr const char* kReplacePattern = "tenon_graph_replace_pattern";

/// The part of a graph that matches a pattern.
struct Match {
  std::vector<uint32_t> nodes;      // nodes of the graph, by node of the pattern
  std::vector<tenon_value> inputs;  // arguments in the graph, by input of the pattern
  size_t place;                     // node of the graph after which a replacement can be put
};

class Matcher {
 public:
  /// Throws TENON_ERROR_INVALID_ARGUMENT for a pattern that cannot be searched for.
  Matcher(const Graph& graph, const Graph& pattern, bool ignores_literals);

  /// Returns all matches, ordered by their last nodes. Matches share no nodes.
  std::vector<Match> find_all();

  /// Returns true if a node belongs to a match.
  bool is_matched(size_t node) const { return moved_to_[node] >= 0; }
  /// Returns true if a replacement can be put after the node.
  bool is_place(size_t node) const { return is_place_[node] != 0; }
  /// Calls `use(value of the graph)` for each value that an output of the pattern has in a match.
  template <class Use>
  void each_output_value(const Match& match, uint32_t output, Use&& use) const {
    const Value& its = pattern_.values()[output];
    if (its.kind == TENON_GRAPH_VALUE_RESULT) {
      return use(graph_.nodes()[match.nodes[its.source]].first_value + its.index);
    }
    for (uint32_t value = 0; value < graph_.values().size(); ++value) {
      const Value& each = graph_.values()[value];
      if (each.kind == TENON_GRAPH_VALUE_ELEMENT && each.index == its.index &&
          image(match, each.source) == static_cast<int64_t>(its.source)) {
        use(value);
      }
    }
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  /// The decisions of a match that is being tried.
  struct PartialMatch {
    std::vector<uint32_t> nodes;
    std::vector<tenon_value> inputs;  // NONE if not bound
    std::vector<tenon_value> sizes;   // by size of the pattern; NONE if not bound
    std::vector<uint32_t> compared;   // by node: 1 if its arguments were compared
  };

  void check_pattern() const;
  void note_users();
  bool solve(PartialMatch& trial, std::optional<Match>* found) const;
  bool choose(const PartialMatch& trial, uint32_t node, std::optional<Match>* found) const;
  bool compare(PartialMatch& trial, uint32_t node) const;
  bool unify(PartialMatch& trial, const tenon_value& pattern, const tenon_value& value) const;
  bool unify_value(PartialMatch& trial, uint32_t pattern, const tenon_value& value) const;
  bool unify_size(PartialMatch& trial, uint32_t size, const tenon_value& value) const;
  bool unify_function(PartialMatch& trial, const Function& wanted, const tenon_value& value) const;
  bool has_sizes(const PartialMatch& trial) const;
  bool bind_node(PartialMatch& trial, uint32_t pattern, uint32_t node) const;
  bool is_taken(const PartialMatch& trial, uint32_t node) const;

  std::optional<Match> accept(const PartialMatch& trial) const;
  bool escapes(const Match& match) const;
  bool is_disturbed(const Match& match, size_t first, size_t last) const;
  bool place(Match& match, size_t last) const;
  int64_t image(const Match& match, uint32_t value) const;
  bool may_leave(const Match& match, uint32_t value) const;
  int64_t available(uint32_t value) const;
  template <class Use>
  void each_result(uint32_t node, Use&& use) const;

  const Graph& graph_;
  const Graph& pattern_;
  const bool ignores_literals_;
  const Effects effects_;
  std::vector<uint8_t> is_output_;               // by value of the pattern
  std::vector<std::vector<uint32_t>> users_;     // by value of the graph; node count: outputs
  std::vector<std::vector<uint32_t>> elements_;  // by value of the graph, for lists
  std::vector<int64_t> moved_to_;                // by node of the graph: place of its match, or -1
  std::vector<uint8_t> is_place_;                // by node of the graph
};

}  // namespace tenon::graph
