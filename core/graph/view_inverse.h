// SPDX-License-Identifier: Apache-2.0
// What undoes a view: the value that it is a view of, made anew of that and of a new view.
#pragma once

#include "graph/graph.h"
#include "graph/rewrite.h"

namespace tenon::graph {

/// Whether an operator gives a view of its first argument each time, and how is known.
bool is_known_view(const tenon_op& op);
/// Whether the strides of the new view do not matter, as its elements are copied.
bool scatters(const tenon_op& op);

/// Appends calls that give `whole`, whose like `meta` describes (NULL: unknown), with the elements
/// of `part` in the place of a view: the result of `view`, or of a list its element `index`.
/// `copies`: by operators that copy, such as view_copy, and no views. Throws
/// TENON_ERROR_NOT_SUPPORTED where sizes are unknown that it needs.
uint32_t undo_view(Rewrite& rewrite, const Node& view, uint32_t index, const TensorMeta* meta,
                   uint32_t whole, uint32_t part, bool copies);

}  // namespace tenon::graph
