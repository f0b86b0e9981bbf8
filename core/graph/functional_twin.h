// SPDX-License-Identifier: Apache-2.0
// FunctionalTwin: the operator that returns as new tensors the values that another operator writes
// into its arguments.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace tenon::graph {

/// Begins the messages of tenon_graph_functionalize.
inline constexpr const char* kFunctionalize = "tenon_graph_functionalize: ";

struct FunctionalTwin {
  const tenon_op* op;
  std::vector<const tenon_value*> args;  // of the node; NULL: a factory option's default
  schema::SchemaPtr schema;
};

/// Finds the functional operator for a node that writes. It has the same name without `_`, the same
/// arguments except those that are only written, and one result for each written argument. Throws
/// TENON_ERROR_NOT_SUPPORTED if there is none.
FunctionalTwin find_functional_twin(const Node& node, const schema::Schema& schema);

/// Finds the operator that copies what a view operator returns: `aten::view_copy` for `aten::view`.
/// Throws TENON_ERROR_NOT_SUPPORTED if there is none.
const tenon_op* find_view_copy(const tenon_op& op, const schema::Schema& schema);

}  // namespace tenon::graph
