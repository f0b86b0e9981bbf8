// SPDX-License-Identifier: Apache-2.0
// Several views: what calls that return a list of views leave on them. Such views must not be
// written in place once gradients flow: their one node stands for all of them.
#pragma once

#include "schema/schema.h"
#include "tenon/op.h"

namespace tenon::dispatch {

/// Whether some return is a list of tensors that share memory with an argument.
bool returns_several_views(const schema::Schema& schema) noexcept;

/// Marks the views of such returns as ViewOrigin::kOneOfMany, unless they have another origin: in
/// no_grad mode they do. The call has just made them.
void mark_several_views(const schema::Schema& schema, const tenon_stack& stack) noexcept;

}  // namespace tenon::dispatch
