// SPDX-License-Identifier: Apache-2.0
// aten::topk on the CPU.
#include "kernels/ops/topk.h"

#include "kernels/cpu/order.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void topk(const Call& call) { run_ordered(call, topk_results(call)); }

}  // namespace

Operator operator_kTopk() { return routine_of<ops::kTopk, &topk>(); }

}  // namespace tenon::kernels::cpu
