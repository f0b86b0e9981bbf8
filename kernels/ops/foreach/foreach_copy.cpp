// SPDX-License-Identifier: Apache-2.0
// Implements aten::_foreach_norm and aten::_foreach_powsum by calling other operators.
#include "kernels/ops/foreach/foreach_copy.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

void foreach_norm(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      norm("aten::linalg_vector_norm");
  std::vector<Tensor> norms;
  for (const Tensor& one : tensors_of(call.get<TensorList>(0))) {
    norms.push_back(
        norm(one, call.get<Scalar>(1), std::nullopt, false, call.get<std::optional<Dtype>>(2)));
  }
  call.give(0, norms);
}

void foreach_powsum(const Call& call) {
  std::vector<Tensor> sums;
  for (const Tensor& one : tensors_of(call.get<TensorList>(0))) {
    const Tensor powers = call_pow(call_abs(one), call.get<Scalar>(1));
    sums.push_back(call_sum(powers, {}, false, call.get<std::optional<Dtype>>(2)));
  }
  call.give(0, sums);
}

}  // namespace tenon::kernels::ops
