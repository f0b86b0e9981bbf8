// SPDX-License-Identifier: Apache-2.0
// What numbers of a graph were when it was recorded.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace tenon::graph {

/// Nothing where nobody told. `more` is added to each size, which then is another case.
std::optional<int64_t> hint_of(const Graph& graph, const tenon_value& number, int64_t more = 0);
/// Of a tensor's sizes; numbers are themselves.
std::optional<std::vector<int64_t>> hinted_sizes(const Graph& graph, const TensorMeta& meta,
                                                 int64_t more = 0);

}  // namespace tenon::graph
