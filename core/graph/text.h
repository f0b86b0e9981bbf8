// SPDX-License-Identifier: Apache-2.0
// Graphs as text: one line a node, whole schemas, read back as they were written.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "graph/graph.h"

namespace tenon::graph {

/// What a text begins with; the number grows with each change that older readers do not take.
constexpr std::string_view kTextVersion = "tenon.graph 1";
/// The same of a graph with sizes, which older readers do not take.
constexpr std::string_view kSizesVersion = "tenon.graph 2";
/// The same of one with tensors that are not row-major.
constexpr std::string_view kStridesVersion = "tenon.graph 3";

/// See tenon_graph_print.
std::string print_graph(const Graph& graph);

/// See tenon_graph_parse.
GraphPtr parse_graph(std::string_view text, std::span<tenon_tensor* const> attributes);

}  // namespace tenon::graph
