// SPDX-License-Identifier: Apache-2.0
// Execution of a single call of a graph, with tensors as its arguments.
#pragma once

#include <span>
#include <vector>

#include "value/value.h"

namespace tenon::graph {

/// Runs a call as a graph with one node would. Returns its first `count` results, owned by the
/// caller.
std::vector<tenon_value> run_one_call(const tenon_op* op, std::span<const tenon_value> args,
                                      uint32_t count);

}  // namespace tenon::graph
