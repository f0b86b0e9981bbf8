// SPDX-License-Identifier: Apache-2.0
// Implements aten::index_select and its gradient by calling other operators.
#include "kernels/ops/indexing/index_select.h"

#include "kernels/ops/calls.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/indexing/along_dim.h"

namespace tenon::kernels::ops {

void index_select(const Call& call) {
  static constinit const LazyOp<void(const Tensor&, TensorList, const Tensor&)> index(
      "aten::index.Tensor_out");
  const AlongDim along(call);
  along.check_index();
  Tensor made = call_empty(along.sizes(), options_like(along.self().info(), {}));
  index(along.self(), along.indices(), made);
  const bool is_zero_dim = call.get<Tensor>(0)->ndim() == 0;
  call.give(0, is_zero_dim && along.count() == 1 ? call_reshape(made, Sizes()) : made);
}

void index_select_backward(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, int64_t, const Tensor&, const Tensor&,
                                       const Scalar&)>
      add("aten::index_add");
  const auto grad = call.get<Tensor>(0);
  const Tensor zeros = call_zeros(call.get<Sizes>(1), options_like(kind_of(*grad), {}));
  call.give(0, add(zeros, call.get<int64_t>(2), call.get<Tensor>(3), grad, Scalar(1)));
}

}  // namespace tenon::kernels::ops
