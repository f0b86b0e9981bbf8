// SPDX-License-Identifier: Apache-2.0
// The values that numbers of a graph had when it was recorded.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace tenon::graph {

/// Returns the recorded value of a number, empty if it is unknown. `more` is added to each size, to
/// test another case.
std::optional<int64_t> hint_of(const Graph& graph, const tenon_value& number, int64_t more = 0);
/// Returns the recorded sizes of a tensor; plain numbers are returned unchanged.
std::optional<std::vector<int64_t>> hinted_sizes(const Graph& graph, const TensorMeta& meta,
                                                 int64_t more = 0);

}  // namespace tenon::graph
