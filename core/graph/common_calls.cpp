// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>

#include "graph/effects.h"
#include "graph/passes.h"
#include "graph/rewrite.h"
#include "graph/same_value.h"

namespace tenon::graph {

namespace {

/// The calls that were kept, by operator and arguments.
class KnownCalls {
 public:
  explicit KnownCalls(const Graph& graph) : same_as_(graph.values().size()) {
    for (uint32_t i = 0; i < same_as_.size(); ++i) same_as_[i] = i;
  }

  /// Returns the kept node with the same call; NULL if there is none, and then keeps this one.
  const Node* find_or_keep(const Node& node) {
    uint64_t hash = reinterpret_cast<uintptr_t>(node.op);
    for (uint32_t a = 0; a < node.nargs; ++a) {
      each_reference(node.args[a], [&](uint32_t value) { hash = hash * 31 + same(value); });
    }
    const auto [begin, end] = calls_.equal_range(hash);
    for (auto each = begin; each != end; ++each) {
      const Node& other = *each->second;
      if (is_same_call(node, other)) {
        for (uint32_t r = 0; r < node.nresults; ++r) {
          same_as_[node.first_value + r] = other.first_value + r;
        }
        return &other;
      }
    }
    calls_.emplace(hash, &node);
    return nullptr;
  }
  /// Called after a write: calls that read before it must not be reused.
  void forget() { calls_.clear(); }

 private:
  uint32_t same(uint32_t value) const { return same_as_[value]; }

  bool is_same_call(const Node& a, const Node& b) const {
    if (a.op != b.op || a.nargs != b.nargs) return false;
    for (uint32_t i = 0; i < a.nargs; ++i) {
      if (!is_same(a.args[i], b.args[i])) return false;
    }
    return true;
  }
  bool is_same(const tenon_value& a, const tenon_value& b) const {
    if (a.tag == TENON_TAG_REF && b.tag == TENON_TAG_REF) {
      return same(static_cast<uint32_t>(a.as.i)) == same(static_cast<uint32_t>(b.as.i));
    }
    if (!value::is_value_list(a.tag)) return same_value(a, b);
    if (a.tag != b.tag || a.count != b.count) return false;
    for (uint64_t i = 0; i < value::element_count(a); ++i) {
      if (!is_same(value::elements(a)[i], value::elements(b)[i])) return false;
    }
    return true;
  }

  std::vector<uint32_t> same_as_;
  std::unordered_multimap<uint64_t, const Node*> calls_;
};

bool gives_written(const Effects& effects, const Node& node) {
  for (uint32_t r = 0; r < node.nresults; ++r) {
    if (effects.is_written(node.first_value + r)) return true;
  }
  return false;
}

}  // namespace

GraphPtr merge_common(const Graph& graph) {
  const Effects effects(graph);
  KnownCalls known(graph);
  Rewrite rewrite(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const Node& node = graph.nodes()[i];
    if (effects.has_effect(i)) known.forget();
    const bool merges = effects.is_functional(i) && !gives_written(effects, node);
    const Node* same = merges ? known.find_or_keep(node) : nullptr;
    if (same == nullptr) {
      rewrite.keep(node);
      continue;
    }
    for (uint32_t r = 0; r < node.nresults; ++r) {
      rewrite.replace(node.first_value + r, same->first_value + r);
    }
  }
  return rewrite.finish();
}

}  // namespace tenon::graph
