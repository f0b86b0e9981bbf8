// SPDX-License-Identifier: Apache-2.0
// Plan: the execution of a graph as one boxed call per node, with the values to release after each.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/arena.h"
#include "graph/bound_plans.h"
#include "tenon/op.h"
#include "tenon/value.h"
#include "tensor/tensor.h"

struct tenon_graph;

namespace tenon::graph {

class Plan {
 public:
  /// Throws TENON_ERROR_NOT_SUPPORTED for an operator that no longer has a schema.
  explicit Plan(const tenon_graph& graph);

  /// Runs the graph; see tenon_graph_run. Throws the error of a call.
  void run(tenon_stack* stack) const;
  /// Binds the graph; see tenon_graph_bind. Takes one value per input. Returns why it cannot be
  /// bound, or "".
  std::string bind(const tenon_value* inputs) const;

  /// The values of one run, see plan_run.h.
  class Run;

 private:
  enum class FillKind : uint8_t { kValue, kTensorList, kIntList, kDeep };
  // An argument that each run fills in.
  struct Patch {
    uint32_t argument;
    uint32_t value;  // for kValue
    FillKind fill;
  };
  struct Step {
    const tenon_op* op;
    const tenon_value* args;
    uint32_t nargs;
    uint32_t first_value;
    uint32_t nresults;
    uint32_t patches_end;   // end in patches_; the range begins at the end of the previous step's
    uint32_t elements_end;  // in elements_
    uint32_t releases_end;  // in releases_
  };
  // Work after a step: storing element `index` of a list as a value or, if `list` is kNumber,
  // computing the number `value`, or, if it is kGuard, checking the guard `value`.
  struct Element {
    uint32_t value;
    uint32_t list;
    uint32_t index;
  };
  static constexpr uint32_t kNumber = UINT32_MAX, kGuard = UINT32_MAX - 1;

  void add_step(const tenon_graph& graph, size_t number);
  tenon_value prepare(const tenon_value& value, bool is_tensor);
  void plan_releases(const tenon_graph& graph);
  std::vector<std::vector<Element>> plan_numbers(const tenon_graph& graph);

  const tenon_graph& graph_;  // owns this plan
  Arena arena_;
  std::vector<Step> steps_;
  std::vector<Patch> patches_;
  std::vector<Element> elements_;
  std::vector<uint32_t> releases_;
  std::vector<Element> first_;              // numbers and guards that depend only on inputs
  std::vector<tensor::TensorPtr> numbers_;  // wrapped numbers, for arguments that must be tensors
  uint32_t most_args_ = 0;
  uint32_t most_elements_ = 0;  // maximum over steps, in lists of tensors
  mutable BoundPlans bound_;
};

}  // namespace tenon::graph
