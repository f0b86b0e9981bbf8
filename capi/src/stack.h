// SPDX-License-Identifier: Apache-2.0
// What a debug build asserts of the stacks that callers hand in.
#pragma once

#include "base/check.h"
#include "tenon/value.h"

namespace tenon::capi {

/// The reserved words are zero: a caller who leaves them undefined would only be found by the
/// release that reads them. Arrays are NULL only for no values. A release build does not look: each
/// call comes by here.
inline void assert_stack([[maybe_unused]] const tenon_stack* stack) noexcept {
  TENON_DCHECK(stack->args != nullptr || stack->nargs == 0);
  TENON_DCHECK(stack->rets != nullptr || stack->nrets == 0);
  TENON_DCHECK(stack->reserved[0] == 0 && stack->reserved[1] == 0);
}

}  // namespace tenon::capi
