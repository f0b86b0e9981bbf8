// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"
#include "dispatch/call_path.h"
#include "graph/bound_plan.h"
#include "graph/frames.h"
#include "graph/plan_run.h"

namespace tenon::graph {

std::string Plan::bind(const tenon_value* inputs) const {
  for (size_t i = 0; i < graph_.inputs().size(); ++i) {
    TENON_CHECK_TYPE(inputs[i].tag == TENON_TAG_TENSOR && inputs[i].as.tensor != nullptr,
                     "tenon_graph_bind: ", graph_.inputs()[i].name, " must be a tensor, got ",
                     value::print(inputs[i]));
  }
  return bound_.bind(graph_, *this, inputs);
}

void Plan::run(tenon_stack* stack) const {
  constexpr const char* kFunction = "tenon_graph_run";
  TENON_CHECK_ARG(stack->nargs == graph_.inputs().size(), kFunction, ": graph must be given ",
                  graph_.inputs().size(), " inputs, got ", stack->nargs);
  TENON_CHECK_ARG(stack->nrets == graph_.outputs().size(), kFunction, ": graph returns ",
                  graph_.outputs().size(), " outputs, got space for ", stack->nrets);
  if (const auto bound = bound_.find(stack->args)) return bound->run(stack);
  Run run(*this);
  run.bind(stack->args);
  run.steps([&](uint32_t node, tenon_stack* call) {
    if (dispatch::call(steps_[node].op, call) == TENON_OK) return;
    base::ErrorPtr error = base::take_current_error();
    error->add_note(print_node(graph_, node));
    throw Error(std::move(error));
  });
  for (uint32_t i = 0; i < stack->nrets; ++i) stack->rets[i] = run.output(graph_.outputs()[i]);
}

}  // namespace tenon::graph
