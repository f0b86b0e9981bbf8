// SPDX-License-Identifier: Apache-2.0
// aten::full on the CPU, in a single step; see zeros.cpp.
#include "kernels/ops/factories/full.h"

#include "kernels/cpu/factories/fill.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void full(const Call& call) {
  const Device cpu;
  const auto value = call.get<Scalar>(1);
  Tensor made = begin_factory(call, inferred_dtype(value), &cpu);
  fill(call.op(), made.info(), value);
  end_factory(call, std::move(made));
}

}  // namespace

Operator operator_kFull() { return routine_of<ops::kFull, &full>(); }

}  // namespace tenon::kernels::cpu
