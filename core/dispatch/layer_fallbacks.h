// SPDX-License-Identifier: Apache-2.0
// Built-in fallbacks of layers above this one, which defines none of them: core/override does.
#pragma once

#include "tenon/op.h"

namespace tenon::dispatch {

/// Kernel of the built-in Override fallback: runs override handlers of modes and objects.
tenon_status run_overrides(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
/// Kernel of the built-in Wrapper fallback: runs dispatch handlers of modes and wrapper tensors.
tenon_status run_wrappers(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

}  // namespace tenon::dispatch
