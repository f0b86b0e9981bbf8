// SPDX-License-Identifier: Apache-2.0
// Frames of nodes: the lines of code that their calls were recorded from.
#pragma once

#include <string>

#include "base/error.h"
#include "graph/graph.h"

namespace tenon::graph {

/// Maximum number of frames that a recording keeps of a call, for each language that reports
/// frames.
constexpr int32_t kFramesOfNode = 4;

/// Returns the calling thread's innermost frames outside of the languages' own packages.
base::ErrorPtr frames_here();
/// Adds captured frames to a node.
void add_frames(Graph& graph, size_t node, const base::ErrorObject& captured);

/// Formats a frame: "model.py:12 in forward [Python]".
std::string print_frame(const Frame& frame);
/// Returns the note that is added to errors of a node: its number, operator and frames.
std::string print_node(const Graph& graph, size_t number);

}  // namespace tenon::graph
