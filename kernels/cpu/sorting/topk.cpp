// SPDX-License-Identifier: Apache-2.0
// aten::topk on the CPU.
#include "kernels/ops/sorting/topk.h"

#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/sorting/order.h"

namespace tenon::kernels::cpu {
namespace {

void topk(const Call& call) { run_ordered(call, topk_results(call)); }

}  // namespace

Operator operator_kTopk() { return routine_of<ops::kTopk, &topk>(); }

}  // namespace tenon::kernels::cpu
