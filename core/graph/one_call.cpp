// SPDX-License-Identifier: Apache-2.0
#include "graph/one_call.h"

#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/references.h"

namespace tenon::graph {

std::vector<tenon_value> run_one_call(const tenon_op* op, std::span<const tenon_value> args,
                                      uint32_t count) {
  Graph alone;
  const uint32_t first = alone.append(op, args);
  for (uint32_t r = 0; r < count; ++r) alone.add_output(reference(first + r));
  std::vector<tenon_value> results(count);
  tenon_stack stack{};
  stack.rets = results.data();
  stack.nrets = count;
  Plan(alone).run(&stack);
  return results;
}

}  // namespace tenon::graph
