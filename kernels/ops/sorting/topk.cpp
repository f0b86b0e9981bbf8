// SPDX-License-Identifier: Apache-2.0
// The results of aten::topk.
#include "kernels/ops/sorting/topk.h"

namespace tenon::kernels::ops {

void topk_meta(const Call& call) { topk_results(call).give(call); }

}  // namespace tenon::kernels::ops
