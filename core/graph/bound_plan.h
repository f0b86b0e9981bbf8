// SPDX-License-Identifier: Apache-2.0
// BoundPlan: a run of a graph for inputs of one description, planned to the last loop: kernels are
// bound, intermediate results lie in one block, and a step is a call on addresses.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dispatch/kernel.h"
#include "dispatch/key_tls.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "tenon/kernel.h"

namespace tenon::graph {

/// What a plan is for: inputs, attributes and thread, as they must be again.
class Situation {
 public:
  Situation(const Graph& graph, const tenon_value* inputs);
  /// Whether inputs, attributes and the calling thread are described so, and no kernel has changed.
  bool is_now(const tenon_value* inputs) const noexcept;
  /// Whether a kernel has changed: it will never be again.
  bool is_over() const noexcept;
  /// Whether calls go to backends' kernels with nothing in between.
  bool is_plain() const noexcept;

 private:
  const Graph& graph_;
  std::vector<int64_t> words_;  // what describe() tells
  uint64_t registry_version_;
  dispatch::KeyWords thread_;
  uint32_t slow_requests_;  // a profile, for one
  bool plain_inputs_ = true;
};

class BoundPlan {
 public:
  /// Throws std::bad_alloc, TENON_ERROR_NOT_SUPPORTED saying what stands against a plan, and what
  /// operators that make views raised.
  BoundPlan(const Graph& graph, const Plan& plan, const tenon_value* inputs);
  ~BoundPlan();
  BoundPlan(const BoundPlan&) = delete;
  BoundPlan& operator=(const BoundPlan&) = delete;

  /// As Plan::run. Throws what a kernel raised.
  void run(tenon_stack* stack) const;

 private:
  class Binder;

  // Where memory of values comes from.
  enum class Source : uint8_t { kInput, kConstant, kScratch, kOutput };
  struct Root {
    Source source;
    uint32_t number = 0;      // of an input or output
    char* address = nullptr;  // of a constant
    int64_t bytes = 0;        // of what is made
    int64_t offset = 0;       // in the block
    uint32_t last_step = 0;
  };
  struct Place {
    uint32_t root;
    int64_t offset;  // bytes
  };
  struct Step {
    tenon_bound bound;
    uint32_t places_end;  // in places_; they begin where those of the step before end
    uint32_t node;
  };
  struct Output {
    uint32_t input;  // kNone: a new tensor
    uint32_t root;
    tenon_dtype dtype;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
  };
  static constexpr uint32_t kNone = UINT32_MAX;

  void release() noexcept;
  void plan_memory();

  const Graph& graph_;
  std::vector<Root> roots_;
  std::vector<Place> places_;
  std::vector<Step> steps_;
  std::vector<Output> outputs_;
  std::vector<dispatch::KernelPin> pins_;
  int64_t block_bytes_ = 0;
};

}  // namespace tenon::graph
