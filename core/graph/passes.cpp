// SPDX-License-Identifier: Apache-2.0
#include "graph/passes.h"

#include "base/check.h"

namespace tenon::graph {

GraphPtr transform(Graph& graph, uint32_t passes) {
  constexpr uint32_t kKnown = TENON_GRAPH_FOLD_CONSTANTS | TENON_GRAPH_MERGE_COMMON |
                              TENON_GRAPH_REMOVE_DEAD | TENON_GRAPH_INFER;
  TENON_CHECK_ARG((passes & ~kKnown) == 0 && passes != 0,
                  "tenon_graph_transform: passes must be bits of TENON_GRAPH_*, got ", passes);
  GraphPtr made = GraphPtr::share(&graph);
  if ((passes & TENON_GRAPH_FOLD_CONSTANTS) != 0) made = fold_constants(*made);
  if ((passes & TENON_GRAPH_MERGE_COMMON) != 0) made = merge_common(*made);
  if ((passes & TENON_GRAPH_REMOVE_DEAD) != 0) made = remove_dead(*made);
  if ((passes & TENON_GRAPH_INFER) != 0) made = infer(*made);
  return made;
}

}  // namespace tenon::graph
