// SPDX-License-Identifier: Apache-2.0
// aten::sort on the CPU.
#include "kernels/ops/sort.h"

#include "kernels/cpu/order.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void sort(const Call& call) { run_ordered(call, sort_results(call)); }

}  // namespace

Operator operator_kSort() { return routine_of<ops::kSort, &sort>(); }
Operator operator_kSortStable() { return routine_of<ops::kSortStable, &sort>(); }

}  // namespace tenon::kernels::cpu
