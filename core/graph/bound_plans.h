// SPDX-License-Identifier: Apache-2.0
// BoundPlans: the plans that a graph keeps, to run by address for inputs like those bound.
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

/// The plans of a graph for the situations that it was bound in last.
class BoundPlans {
 public:
  /// The plan for these inputs; NULL where there is none.
  std::shared_ptr<const BoundPlan> find(const tenon_value* inputs) noexcept;
  /// Makes one. Returns what stands against it, "" where nothing does. Throws as BoundPlan.
  std::string bind(const tenon_graph& graph, const Plan& plan, const tenon_value* inputs);

 private:
  static constexpr size_t kMost = 4;
  struct Entry {
    std::shared_ptr<const Situation> situation;
    std::shared_ptr<const BoundPlan> plan;
  };
  void drop_over() noexcept;
  void keep(Entry entry) noexcept;

  std::atomic<bool> any_{false};     // a plan was made
  std::atomic<bool> locked_{false};  // entries_, for a few instructions
  Entry entries_[kMost];
  size_t next_ = 0;    // to be replaced
  size_t recent_ = 0;  // found last
};

}  // namespace tenon::graph
