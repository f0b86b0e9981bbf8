// SPDX-License-Identifier: Apache-2.0
// aten::empty on the CPU.
#include "kernels/ops/factories/empty.h"

#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void empty(const Call& call) {
  call.give(0, empty_on(Device(), call.get<Sizes>(0), options_of(call),
                        call.get<std::optional<MemoryFormat>>(5)));
}

}  // namespace

Operator operator_kEmpty() { return routine_of<ops::kEmpty, &empty>(INT64_MAX); }

}  // namespace tenon::kernels::cpu
