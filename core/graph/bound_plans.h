// SPDX-License-Identifier: Apache-2.0
// BoundPlans: a graph's cached plans, which run on addresses for inputs like those they were bound
// to.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "tenon/value.h"

struct tenon_graph;

namespace tenon::graph {

class BoundPlan;
class Plan;
class PlanGuard;

/// The plans of a graph for the conditions under which it was bound most recently.
class BoundPlans {
 public:
  /// Returns the plan for these inputs, NULL if there is none.
  std::shared_ptr<const BoundPlan> find(const tenon_value* inputs) noexcept;
  /// Makes a plan. Returns why binding is impossible, or "". Throws like BoundPlan.
  std::string bind(const tenon_graph& graph, const Plan& plan, const tenon_value* inputs);

 private:
  static constexpr size_t kMost = 4;
  struct CachedPlan {
    std::shared_ptr<const PlanGuard> guard;
    std::shared_ptr<const BoundPlan> plan;
  };
  void drop_over() noexcept;
  void keep(CachedPlan entry) noexcept;

  std::atomic<bool> any_{false};     // a plan was made at some time
  std::atomic<bool> locked_{false};  // spin lock of entries_, held for a few instructions
  CachedPlan entries_[kMost];
  size_t next_ = 0;    // index to replace next
  size_t recent_ = 0;  // index of the entry found last
};

}  // namespace tenon::graph
