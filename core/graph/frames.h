// SPDX-License-Identifier: Apache-2.0
// Frames of nodes: the lines of code that their calls were recorded from.
#pragma once

#include <string>

#include "base/error.h"
#include "graph/graph.h"

namespace tenon::graph {

/// How many frames a recording keeps of a call, of each language that tells them.
constexpr int32_t kFramesOfNode = 4;

/// The calling thread's innermost frames outside of the languages' own packages.
base::ErrorPtr frames_here();
/// Makes them a node's.
void add_frames(Graph& graph, size_t node, const base::ErrorObject& captured);

/// "model.py:12 in forward [Python]".
std::string print_frame(const Frame& frame);
/// What a note to an error says of a node: its number, operator and frames.
std::string print_node(const Graph& graph, size_t number);

}  // namespace tenon::graph
