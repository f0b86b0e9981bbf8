// SPDX-License-Identifier: Apache-2.0
// Implements aten::count_nonzero by calling other operators.
#include "kernels/ops/reductions/count_nonzero.h"

#include "kernels/common/call.h"

namespace tenon::kernels::ops {

void count_nonzero(const Call& call) {
  static constinit const LazyOp<Tensor(const Tensor&, const Scalar&)> differ("aten::ne.Scalar");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<Sizes>, bool,
                                       std::optional<Dtype>)>
      sum("aten::sum.dim_IntList");
  const tenon_value& dim = call.args[1];
  std::optional<Sizes> dims;
  if (dim.tag == TENON_TAG_INT) dims = Sizes(&dim.as.i, 1);
  if (dim.tag == TENON_TAG_INT_LIST) dims = call.get<Sizes>(1);
  call.give(0, sum(differ(call.get<Tensor>(0), Scalar(0)), dims, false, std::nullopt));
}

}  // namespace tenon::kernels::ops
