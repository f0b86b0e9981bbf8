// SPDX-License-Identifier: Apache-2.0
// Multi-output views: marks the views that a call returns as a list. Once gradients flow, they must
// not be written in place, because they share one node.
#pragma once

#include "schema/schema.h"
#include "tenon/op.h"

namespace tenon::dispatch {

/// Returns true if some return is a list of tensors that share memory with an argument.
bool returns_multi_output_views(const schema::Schema& schema) noexcept;

/// Marks the views that a call has just returned in such lists as ViewOrigin::kMultiOutput. Views
/// that have a special origin already, such as no_grad mode, keep it.
void mark_multi_output_views(const schema::Schema& schema, const tenon_stack& stack) noexcept;

}  // namespace tenon::dispatch
