// SPDX-License-Identifier: Apache-2.0
// Graphs as operators.
#pragma once

#include <string_view>

#include "dispatch/library.h"
#include "graph/graph.h"

namespace tenon::graph {

/// See tenon_graph_define.
const tenon_op* define_graph(Graph& graph, dispatch::Library* library, std::string_view name);

}  // namespace tenon::graph
