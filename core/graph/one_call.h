// SPDX-License-Identifier: Apache-2.0
// A call of a graph made now, by itself, with tensors as its arguments.
#pragma once

#include <span>
#include <vector>

#include "value/value.h"

namespace tenon::graph {

/// Runs a call as a graph of one node would; its first `count` results, which the caller owns.
std::vector<tenon_value> run_one_call(const tenon_op* op, std::span<const tenon_value> args,
                                      uint32_t count);

}  // namespace tenon::graph
