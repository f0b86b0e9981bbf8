// SPDX-License-Identifier: Apache-2.0
// Debug checks of the stacks that callers pass.
#pragma once

#include "base/check.h"
#include "tenon/value.h"

namespace tenon::capi {

/// Asserts that reserved words are zero and that arrays are NULL only if they are empty. Without
/// the assertion, a caller that leaves reserved words undefined would only be found by a later
/// release that reads them. Release builds check nothing, because every call runs this code.
inline void assert_stack([[maybe_unused]] const tenon_stack* stack) noexcept {
  TENON_DCHECK(stack->args != nullptr || stack->nargs == 0);
  TENON_DCHECK(stack->rets != nullptr || stack->nrets == 0);
  TENON_DCHECK(stack->reserved[0] == 0 && stack->reserved[1] == 0);
}

}  // namespace tenon::capi
