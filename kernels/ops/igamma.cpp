// SPDX-License-Identifier: Apache-2.0
// What gradients of aten::igamma by self are answered with.
#include "kernels/ops/igamma.h"

#include "kernels/common/call.h"
#include "kernels/common/check.h"

namespace tenon::kernels::ops {

void igamma_backward_self(const Call& call) {
  fail(TENON_ERROR_NOT_SUPPORTED,
       {call.op(), ": self must need no gradient, got a tensor that needs one"});
}

}  // namespace tenon::kernels::ops
