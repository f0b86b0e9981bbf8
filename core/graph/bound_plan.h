// SPDX-License-Identifier: Apache-2.0
// BoundPlan: a run of a graph for inputs of one description, planned down to the loops: kernels are
// bound, intermediate results share one block, and each step is a call on addresses.
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

/// The conditions under which a plan is valid: the description of inputs, attributes and thread.
class PlanGuard {
 public:
  PlanGuard(const Graph& graph, const tenon_value* inputs);
  /// Returns true if inputs, attributes and the calling thread match and no kernel has changed.
  bool holds(const tenon_value* inputs) const noexcept;
  /// Returns true if a registration has changed since; the plan cannot be used again.
  bool is_over() const noexcept;
  /// Returns true if calls go to the backends' kernels with no layer in between.
  bool is_plain() const noexcept;

 private:
  const Graph& graph_;
  std::vector<int64_t> words_;  // collected by describe()
  uint64_t registry_version_;
  dispatch::KeyState thread_;
  uint32_t slow_requests_;  // base::SlowRequest bits, set by profiles
  bool plain_inputs_ = true;
};

class BoundPlan {
 public:
  /// Throws std::bad_alloc, TENON_ERROR_NOT_SUPPORTED with the reason why there can be no plan, and
  /// the errors of operators that make views.
  BoundPlan(const Graph& graph, const Plan& plan, const tenon_value* inputs);
  ~BoundPlan();
  BoundPlan(const BoundPlan&) = delete;
  BoundPlan& operator=(const BoundPlan&) = delete;

  /// Returns true if all written inputs are writable, and written memory overlaps no other inputs
  /// and attributes. Kernels that are called directly check this before they write.
  bool may_run(const tenon_value* inputs) const noexcept;
  /// Like Plan::run(), if may_run() is true. Throws the error of a kernel.
  void run(tenon_stack* stack) const;

 private:
  class Binder;

  // The origin of the memory of values.
  enum class Source : uint8_t { kInput, kConstant, kScratch, kOutput };
  static constexpr int64_t kNotFilled = -1;
  struct Root {
    Source source;
    uint32_t number = 0;      // kInput: index of the input; kOutput: index in made_
    char* address = nullptr;  // kConstant: the memory; otherwise the initial content, or NULL
    int64_t bytes = 0;        // all of it if runs allocate it; otherwise from the first element on
    int64_t offset = 0;       // kScratch: in the block
    uint32_t last_step = 0;
    tensor::Tensor* tensor = nullptr;  // an attribute, which the graph holds
    int64_t filled = kNotFilled;       // bytes at `address` that were computed by binding
  };
  struct MemoryLocation {
    uint32_t root;
    int64_t offset;  // bytes
  };
  // A memory location at run time: an offset in bytes from one of the run's bases, see run().
  struct RunAddress {
    uint32_t base;
    int64_t offset;
  };
  struct Step {
    tenon_bound bound;
    uint32_t places_end;  // end in places_; the range begins at the end of the previous step's
    uint32_t node;
  };
  // The description of an output tensor that each run allocates.
  struct AllocatedOutput {
    tenon_dtype dtype;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
  };
  enum class Kind : uint8_t { kWhole, kView, kSame };
  struct Output {
    Kind kind;
    uint32_t number;  // a root; for kSame, an earlier output
    // For a view: the geometry, relative to the root's tensor.
    int64_t offset = 0;
    std::vector<int64_t> sizes = {};
    std::vector<int64_t> strides = {};
    tensor::ViewOrigin origin = tensor::ViewOrigin::kDefault;
    bool is_detached = false;
  };
  // An input or attribute that calls write, with the number of calls that bump its version.
  struct CountedWrite {
    uint32_t root;
    uint32_t calls;
  };
  using MadeTensors = std::vector<tensor::TensorPtr>;
  static constexpr uint32_t kNone = UINT32_MAX;

  void release() noexcept;
  void plan_memory();
  void plan_addresses();
  RunAddress run_address(const MemoryLocation& place) const noexcept;
  bool is_apart(const Root& written, const tenon_value* inputs, uint32_t from,
                uint32_t to) const noexcept;
  tensor::Tensor& tensor_of(const Root& root, const tenon_value* inputs,
                            const MadeTensors& made) const noexcept;
  void give_outputs(tenon_stack* stack, const MadeTensors& made) const;

  const Graph& graph_;
  std::vector<Root> roots_;
  std::vector<MemoryLocation> places_;
  std::vector<RunAddress> addresses_;  // by place
  std::vector<uint32_t> filled_;       // roots whose initial content each run copies
  std::vector<Step> steps_;
  std::vector<AllocatedOutput> made_;
  std::vector<Output> outputs_;
  std::vector<CountedWrite> writes_;
  std::vector<tensor::TensorPtr> kept_;  // owners of constants' memory
  std::vector<dispatch::KernelPin> pins_;
  uint32_t given_ = 0;  // number of the leading roots that are inputs and attributes
  int64_t block_bytes_ = 0;
};

}  // namespace tenon::graph
