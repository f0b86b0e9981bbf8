// SPDX-License-Identifier: Apache-2.0
// Graphs as files in the safetensors layout: the length of a JSON header, the header with the
// graph's text in its metadata, the bytes of the attributes.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace tenon::graph {

/// See tenon_graph_write and the functions that follow it.
std::string write_bytes(const Graph& graph);
GraphPtr read_bytes(std::string_view bytes);
void save_file(const Graph& graph, const char* path);
GraphPtr load_file(const char* path);

}  // namespace tenon::graph
