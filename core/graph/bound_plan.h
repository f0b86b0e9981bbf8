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

  /// Whether what is written shares no memory with other inputs and attributes, which kernels check
  /// before they write.
  bool may_run(const tenon_value* inputs) const noexcept;
  /// As Plan::run, where it may. Throws what a kernel raised.
  void run(tenon_stack* stack) const;

 private:
  class Binder;

  // Where memory of values comes from.
  enum class Source : uint8_t { kInput, kConstant, kScratch, kOutput };
  static constexpr int64_t kNotFilled = -1;
  struct Root {
    Source source;
    uint32_t number = 0;      // of an input, or in made_
    char* address = nullptr;  // of a constant; of others what they hold at first, or NULL
    int64_t bytes = 0;        // of what is made, and from the first element of others
    int64_t offset = 0;       // in the block
    uint32_t last_step = 0;
    tensor::Tensor* tensor = nullptr;  // an attribute, which the graph holds
    int64_t filled = kNotFilled;       // bytes at `address` that no element of others tells
  };
  struct Place {
    uint32_t root;
    int64_t offset;  // bytes
  };
  // The same as a run has it: bytes behind one of its bases, see run().
  struct Address {
    uint32_t base;
    int64_t offset;
  };
  struct Step {
    tenon_bound bound;
    uint32_t places_end;  // in places_; they begin where those of the step before end
    uint32_t node;
  };
  // A tensor as the call makes it.
  struct Made {
    tenon_dtype dtype;
    std::vector<int64_t> sizes;
    std::vector<int64_t> strides;
  };
  enum class Kind : uint8_t { kWhole, kView, kSame };
  struct Output {
    Kind kind;
    uint32_t number;  // a root, or of kSame an earlier output
    // Of a view: from the root's tensor on.
    int64_t offset = 0;
    std::vector<int64_t> sizes = {};
    std::vector<int64_t> strides = {};
    tensor::ViewOrigin origin = tensor::ViewOrigin::kDefault;
    bool is_detached = false;
  };
  // An input or attribute that calls write, so many of them where versions are counted.
  struct Write {
    uint32_t root;
    uint32_t calls;
  };
  using MadeTensors = std::vector<tensor::TensorPtr>;
  static constexpr uint32_t kNone = UINT32_MAX;

  void release() noexcept;
  void plan_memory();
  void plan_addresses();
  Address run_address(const Place& place) const noexcept;
  bool is_apart(const Root& written, const tenon_value* inputs, uint32_t from,
                uint32_t to) const noexcept;
  tensor::Tensor& tensor_of(const Root& root, const tenon_value* inputs,
                            const MadeTensors& made) const noexcept;
  void give_outputs(tenon_stack* stack, const MadeTensors& made) const;

  const Graph& graph_;
  std::vector<Root> roots_;
  std::vector<Place> places_;
  std::vector<Address> addresses_;  // of places
  std::vector<uint32_t> filled_;    // roots that runs fill
  std::vector<Step> steps_;
  std::vector<Made> made_;
  std::vector<Output> outputs_;
  std::vector<Write> writes_;
  std::vector<tensor::TensorPtr> kept_;  // that constants lie in
  std::vector<dispatch::KernelPin> pins_;
  uint32_t given_ = 0;  // roots that are inputs and attributes, the first ones
  int64_t block_bytes_ = 0;
};

}  // namespace tenon::graph
