// SPDX-License-Identifier: Apache-2.0
// Built-in fallbacks of layers above this one, which defines none of them: core/override does.
#pragma once

#include <vector>

#include "tenon/mode.h"
#include "tenon/object.h"
#include "tenon/value.h"

namespace tenon::dispatch {

/// Kernel of the built-in Override fallback: runs override handlers of modes and objects.
tenon_status run_overrides(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
/// Kernel of the built-in Wrapper fallback: runs dispatch handlers of modes and wrapper tensors.
tenon_status run_wrappers(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

/// Types that these kernels would ask about a call, in that order: first the thread's modes of a
/// kind (TENON_MODE_OVERRIDE or TENON_MODE_WRAPPER), then the arguments'.
struct Askable {
  std::vector<const tenon_object_type*> modes;
  std::vector<const tenon_object_type*> arguments;
};
Askable who_is_asked(uint32_t kind, const tenon_value* args, uint32_t nargs);

}  // namespace tenon::dispatch
