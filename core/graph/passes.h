// SPDX-License-Identifier: Apache-2.0
// Passes: new graphs that compute the same results with fewer calls.
#pragma once

#include "graph/graph.h"

namespace tenon::graph {

/// Each makes a new graph; see TENON_GRAPH_FOLD_CONSTANTS and the flags that follow it.
GraphPtr fold_constants(const Graph& graph);
GraphPtr merge_common(const Graph& graph);
GraphPtr remove_dead(const Graph& graph);
GraphPtr infer(const Graph& graph);

/// See tenon_graph_functionalize.
GraphPtr functionalize(const Graph& graph, uint32_t flags);

/// See tenon_graph_rewrite.
GraphPtr rewrite_by(const Graph& graph, tenon_graph_rewrite_fn function, void* ctx);
/// See tenon_graph_replace_pattern.
GraphPtr replace_pattern(const Graph& graph, const Graph& pattern, const Graph& replacement,
                         uint32_t flags, int64_t* out_count);

/// See tenon_graph_check.
void check(const Graph& graph);

/// See tenon_graph_transform.
GraphPtr transform(Graph& graph, uint32_t passes);

}  // namespace tenon::graph
