// SPDX-License-Identifier: Apache-2.0
// Graphs as text: one line per node, complete schemas, and exact round trips.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace tenon::graph {

/// The first line of a text. The number grows with each change that older readers do not
/// understand.
constexpr std::string_view kTextVersion = "tenon.graph 1";
/// The first line if the graph has sizes.
constexpr std::string_view kSizesVersion = "tenon.graph 2";
/// The first line if the graph has tensors that are not row-major.
constexpr std::string_view kStridesVersion = "tenon.graph 3";

/// See tenon_graph_print.
std::string print_graph(const Graph& graph);

/// See tenon_graph_parse.
GraphPtr parse_graph(std::string_view text, std::span<tenon_tensor* const> attributes);

}  // namespace tenon::graph
