// SPDX-License-Identifier: Apache-2.0
// The inverse of a view: recomputes the base of a view from the base and a new value of the view.
#pragma once

#include "graph/graph.h"
#include "graph/rewrite.h"

namespace tenon::graph {

/// Returns true if an operator is tagged with its inverse, see docs/write-a-kernel.md: it always
/// returns a view of its first argument.
bool is_known_view(const tenon_op& op);
/// Returns true if the inverse copies the elements of the new view, so that its strides do not
/// matter.
bool scatters(const tenon_op& op);

/// Appends calls that compute `whole` with some elements replaced by those of `part`: the elements
/// that the result of `view` shows or, if that is a list, its element `index`. `meta` describes
/// `whole` (NULL: unknown). If `copies` is set, uses operators that copy, such as view_copy,
/// instead of views. Throws TENON_ERROR_NOT_SUPPORTED if it needs sizes that are unknown.
uint32_t undo_view(Rewrite& rewrite, const Node& view, uint32_t index, const TensorMeta* meta,
                   uint32_t whole, uint32_t part, bool copies);

}  // namespace tenon::graph
