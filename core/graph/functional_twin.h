// SPDX-License-Identifier: Apache-2.0
// FunctionalTwin: the operator that gives as new values what another one writes.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace tenon::graph {

/// Begins the messages of tenon_graph_functionalize.
inline constexpr const char* kFunctionalize = "tenon_graph_functionalize: ";

struct FunctionalTwin {
  const tenon_op* op;
  std::vector<const tenon_value*> args;  // of the node; NULL: the default of a factory's option
  schema::SchemaPtr schema;
};

/// The functional operator for a node that writes: the overload that is called so without `_`, with
/// the same arguments but those that are only written, and a result for each that is. Throws
/// TENON_ERROR_NOT_SUPPORTED where there is none.
FunctionalTwin find_functional_twin(const Node& node, const schema::Schema& schema);

/// The operator that copies what an operator gives a view of: `aten::view_copy` for `aten::view`.
/// Throws TENON_ERROR_NOT_SUPPORTED where there is none.
const tenon_op* find_view_copy(const tenon_op& op, const schema::Schema& schema);

}  // namespace tenon::graph
