// SPDX-License-Identifier: Apache-2.0
// aten::normal_ on CUDA.
#include "kernels/ops/random/normal.h"

#include <numbers>

#include "kernels/cuda/random/draw.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

void normal_(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const auto mean = call.get<double>(1), std = call.get<double>(2);
  check_normal(call.op(), self, std);
  // The variance of a complex number is split between its two parts.
  const bool has_parts = is_complex(dtype_of_info(self));
  draw(call, 3, Distribution::Normal, mean, has_parts ? std / std::numbers::sqrt2 : std);
}

}  // namespace

Operator operator_kNormalInPlace() { return routine_of<ops::kNormalInPlace, &normal_>(); }

}  // namespace tenon::kernels::cuda
