// SPDX-License-Identifier: Apache-2.0
// Numbers of a graph as text: "2*s0 + 1", in Python's notation.
#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/literal.h"

namespace tenon::graph {

/// A number, or what a reference names: a size by its name, a function by its operands.
std::string number_text(const Graph& graph, const tenon_value& number);
/// "s0 < 10".
std::string guard_text(const Graph& graph, const Guard& guard);
/// " (aten::view, model.py:12)", or "".
std::string place_text(const Guard& guard);
/// An input's name, or "%4".
std::string value_text(const Graph& graph, uint32_t value);
/// Sizes as numbers and symbols.
std::string print_words(tensor::Dims words);

/// Reads what number_text() wrote: functions that the graph lacks are added. Throws
/// TENON_ERROR_PARSE.
tenon_value read_number(Graph& graph, Cursor& cursor);
/// The same of guard_text().
Guard read_guard(Graph& graph, Cursor& cursor);

}  // namespace tenon::graph
