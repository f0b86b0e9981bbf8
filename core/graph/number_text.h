// SPDX-License-Identifier: Apache-2.0
// Numbers of a graph as text: "2*s0 + 1", in Python's notation.
#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/literal.h"

namespace tenon::graph {

/// Formats a number, or what a reference refers to: a size by its name, a function by its operands.
std::string number_text(const Graph& graph, const tenon_value& number);
/// Formats a guard: "s0 < 10".
std::string guard_text(const Graph& graph, const Guard& guard);
/// Formats the place of a guard: " (aten::view, model.py:12)", or "".
std::string place_text(const Guard& guard);
/// Returns an input's name, or "%4".
std::string value_text(const Graph& graph, uint32_t value);
/// Formats sizes as numbers and symbols.
std::string print_words(tensor::Dims words);

/// Reads what number_text() wrote, and adds functions that the graph lacks. Throws
/// TENON_ERROR_PARSE.
tenon_value read_number(Graph& graph, Cursor& cursor);
/// Reads what guard_text() wrote. Throws TENON_ERROR_PARSE.
Guard read_guard(Graph& graph, Cursor& cursor);

}  // namespace tenon::graph
