// SPDX-License-Identifier: Apache-2.0
// aten::uniform_ on CUDA.
#include "kernels/ops/random/uniform.h"

#include "kernels/cuda/random/draw.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void uniform_(const Call& call) {
  const auto from = call.get<double>(1), to = call.get<double>(2);
  check_uniform(call.op(), call.get<Tensor>(0)->info(), from, to);
  draw(call, 3, Distribution::Uniform, from, to);
}

}  // namespace

Operator operator_kUniformInPlace() { return routine_of<ops::kUniformInPlace, &uniform_>(); }

}  // namespace tenon::kernels::cuda
