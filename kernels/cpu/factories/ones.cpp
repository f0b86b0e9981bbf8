// SPDX-License-Identifier: Apache-2.0
// aten::ones on the CPU, in a single step; see zeros.cpp.
#include "kernels/ops/factories/ones.h"

#include "kernels/cpu/factories/fill.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void ones(const Call& call) {
  const Device cpu;
  Tensor made = begin_factory(call, std::nullopt, &cpu);
  fill(call.op(), made.info(), Scalar(1));
  end_factory(call, std::move(made));
}

}  // namespace

Operator operator_kOnes() { return routine_of<ops::kOnes, &ones>(); }

}  // namespace tenon::kernels::cpu
