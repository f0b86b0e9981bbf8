// SPDX-License-Identifier: Apache-2.0
// aten::empty_strided on the CPU.
#include "kernels/ops/factories/empty_strided.h"

#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void empty_strided(const Call& call) {
  call.give(0,
            empty_strided_on(Device(), call.get<Sizes>(0), call.get<Sizes>(1), options_of(call)));
}

}  // namespace

Operator operator_kEmptyStrided() {
  return routine_of<ops::kEmptyStrided, &empty_strided>(INT64_MAX);
}

}  // namespace tenon::kernels::cpu
