// SPDX-License-Identifier: Apache-2.0
// aten::sort on the CPU.
#include "kernels/ops/sorting/sort.h"

#include "kernels/cpu/routine_of.h"
#include "kernels/cpu/sorting/order.h"

namespace tenon::kernels::cpu {
namespace {

void sort(const Call& call) { run_ordered(call, sort_results(call)); }

}  // namespace

Operator operator_kSort() { return routine_of<ops::kSort, &sort>(); }
Operator operator_kSortStable() { return routine_of<ops::kSortStable, &sort>(); }

}  // namespace tenon::kernels::cpu
