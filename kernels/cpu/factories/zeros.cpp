// SPDX-License-Identifier: Apache-2.0
// aten::zeros on the CPU, in a single step. The composite calls two operators and cannot promise
// that it does not block, since others may replace these operators.
#include "kernels/ops/factories/zeros.h"

#include <cstring>

#include "kernels/cpu/factories/fill.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void zeros(const Call& call) {
  const Device cpu;
  Tensor made = begin_factory(call, std::nullopt, &cpu);
  const tenon_tensor_info info = made.info();
  if (is_contiguous(info)) {
    // Zero has all bits clear in every dtype.
    const auto bytes = static_cast<size_t>(info.numel) * size_of(dtype_of_info(info));
    if (bytes != 0) std::memset(info.data, 0, bytes);
  } else {
    fill(call.op(), info, Scalar(0));
  }
  end_factory(call, std::move(made));
}

}  // namespace

Operator operator_kZeros() { return routine_of<ops::kZeros, &zeros>(); }

}  // namespace tenon::kernels::cpu
