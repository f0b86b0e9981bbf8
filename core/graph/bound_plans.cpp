// SPDX-License-Identifier: Apache-2.0
#include "graph/bound_plans.h"

#include <new>
#include <utility>

#include "base/spin_guard.h"
#include "graph/bound_plan.h"
#include "graph/graph.h"

namespace tenon::graph {

// Entries are compared outside of the lock: no one else may wait for that.
BoundPlans::Entry BoundPlans::lookup(const tenon_value* inputs) {
  Entry entries[kMost];
  {
    const base::SpinGuard lock(locked_);
    for (size_t i = 0; i < kMost; ++i) entries[i] = entries_[i];
  }
  for (Entry& entry : entries) {
    if (entry.situation && entry.situation->is_now(inputs)) return std::move(entry);
  }
  return {};
}

void BoundPlans::keep(Entry entry) {
  Entry over[kMost], replaced;  // freed after the lock
  const base::SpinGuard lock(locked_);
  // Those that no run can take any more would hold kernels of closed libraries.
  for (size_t i = 0; i < kMost; ++i) {
    if (entries_[i].situation && entries_[i].situation->is_over()) std::swap(over[i], entries_[i]);
  }
  for (Entry& each : entries_) {
    if (each.situation == entry.situation) {
      replaced = std::exchange(each, std::move(entry));
      return;
    }
  }
  replaced = std::exchange(entries_[next_], std::move(entry));
  next_ = (next_ + 1) % kMost;
}

std::shared_ptr<const BoundPlan> BoundPlans::find(const Graph& graph, const Plan& plan,
                                                  const tenon_value* inputs) {
  Entry entry = lookup(inputs);
  if (entry.plan || entry.is_refused) return std::move(entry.plan);
  if (!entry.situation) {
    entry.situation = std::make_shared<Situation>(graph, inputs);
    entry.is_refused = !entry.situation->is_plain();
    keep(std::move(entry));
    return nullptr;
  }
  try {
    entry.plan = std::make_shared<BoundPlan>(graph, plan, inputs);
  } catch (const Error&) {
    entry.is_refused = true;  // calls raise what there is to raise
  } catch (const std::bad_alloc&) {
    entry.is_refused = true;  // calls keep less at once
  }
  std::shared_ptr<const BoundPlan> made = entry.plan;
  keep(std::move(entry));
  return made;
}

std::string BoundPlans::bind(const Graph& graph, const Plan& plan, const tenon_value* inputs) {
  Entry entry = lookup(inputs);
  if (entry.plan) return "";
  if (!entry.situation) entry.situation = std::make_shared<Situation>(graph, inputs);
  entry.is_refused = false;
  if (!entry.situation->is_plain()) {
    return "inputs must be plain tensors on the CPU, on a thread without modes, profile or "
           "recording";
  }
  std::string reason;
  try {
    entry.plan = std::make_shared<BoundPlan>(graph, plan, inputs);
  } catch (const Error& error) {
    if (error.object()->code() != TENON_ERROR_NOT_SUPPORTED) throw;
    entry.is_refused = true;
    reason = error.object()->message();
  }
  keep(std::move(entry));
  return reason;
}

}  // namespace tenon::graph
