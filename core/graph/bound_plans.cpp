// SPDX-License-Identifier: Apache-2.0
#include "graph/bound_plans.h"

#include <utility>

#include "base/spin_guard.h"
#include "graph/bound_plan.h"
#include "graph/graph.h"

namespace tenon::graph {

// Entries are compared without the lock, so that no other thread waits for it.
std::shared_ptr<const BoundPlan> BoundPlans::find(const tenon_value* inputs) noexcept {
  if (!any_.load(std::memory_order_acquire)) return nullptr;
  size_t first = 0;
  for (size_t i = 0; i < kMost; ++i) {
    CachedPlan entry;  // destroyed after the lock is released
    size_t at = 0;
    {
      const base::SpinGuard lock(locked_);
      if (i == 0) first = recent_;
      at = (first + i) % kMost;
      if (!entries_[at].guard) continue;
      entry = entries_[at];
    }
    if (entry.guard->is_over()) {
      drop_over();
      continue;
    }
    if (!entry.guard->holds(inputs)) continue;
    if (!entry.plan->may_run(inputs)) return nullptr;
    if (i != 0) {
      const base::SpinGuard lock(locked_);
      recent_ = at;
    }
    return std::move(entry.plan);
  }
  return nullptr;
}

// Drops outdated entries, which would otherwise keep kernels of closed libraries alive.
void BoundPlans::drop_over() noexcept {
  CachedPlan over[kMost];  // destroyed after the lock is released
  const base::SpinGuard lock(locked_);
  for (size_t i = 0; i < kMost; ++i) {
    if (entries_[i].guard && entries_[i].guard->is_over()) std::swap(over[i], entries_[i]);
  }
}

void BoundPlans::keep(CachedPlan entry) noexcept {
  CachedPlan replaced;  // destroyed after the lock is released
  const base::SpinGuard lock(locked_);
  replaced = std::exchange(entries_[next_], std::move(entry));
  next_ = (next_ + 1) % kMost;
  any_.store(true, std::memory_order_release);
}

std::string BoundPlans::bind(const Graph& graph, const Plan& plan, const tenon_value* inputs) {
  if (find(inputs) != nullptr) return "";
  auto guard = std::make_shared<const PlanGuard>(graph, inputs);
  if (!guard->is_plain()) {
    return "inputs must be plain CPU tensors, and no mode, profile or recording may be active on "
           "the thread";
  }
  try {
    keep({std::move(guard), std::make_shared<const BoundPlan>(graph, plan, inputs)});
  } catch (const Error& error) {
    if (error.object()->code() != TENON_ERROR_NOT_SUPPORTED) throw;
    return error.object()->message();
  }
  return "";
}

}  // namespace tenon::graph
