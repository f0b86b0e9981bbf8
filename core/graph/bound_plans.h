// SPDX-License-Identifier: Apache-2.0
// BoundPlans: what a graph keeps of its runs, to run by address when they come again.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "tenon/value.h"

struct tenon_graph;

namespace tenon::graph {

class BoundPlan;
class Plan;
class Situation;

/// The plans of a graph for the situations that it was run in last.
class BoundPlans {
 public:
  /// The plan for these inputs; NULL where there is none. One is made the second time that a
  /// situation is seen.
  std::shared_ptr<const BoundPlan> find(const tenon_graph& graph, const Plan& plan,
                                        const tenon_value* inputs);
  /// Makes one now. Returns what stands against it, "" where nothing does. Throws as BoundPlan.
  std::string bind(const tenon_graph& graph, const Plan& plan, const tenon_value* inputs);

 private:
  static constexpr size_t kMost = 4;
  struct Entry {
    std::shared_ptr<const Situation> situation;
    std::shared_ptr<const BoundPlan> plan;  // NULL: seen once, or refused
    bool is_refused = false;
  };
  Entry lookup(const tenon_value* inputs);
  void keep(Entry entry);

  std::atomic<bool> locked_{false};  // entries_, for a few instructions
  Entry entries_[kMost];
  size_t next_ = 0;  // to be replaced
};

}  // namespace tenon::graph
