// SPDX-License-Identifier: Apache-2.0
// Several views: marks on the views that a call returns as a list. Such views must not be written
// in place once gradients flow, because they share one node.
#pragma once

#include "schema/schema.h"
#include "tenon/op.h"

namespace tenon::dispatch {

/// Returns true if some return is a list of tensors that share memory with an argument.
bool returns_multi_output_views(const schema::Schema& schema) noexcept;

/// Marks the views of such returns, which the call has just made, as ViewOrigin::kMultiOutput.
/// Views made in no_grad mode keep their other origin.
void mark_multi_output_views(const schema::Schema& schema, const tenon_stack& stack) noexcept;

}  // namespace tenon::dispatch
