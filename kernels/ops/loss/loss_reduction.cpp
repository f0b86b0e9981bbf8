// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/loss/loss_reduction.h"

#include "kernels/common/check.h"

namespace tenon::kernels {

Tensor reduced(const Call& call, int k, const Tensor& losses) {
  using Reduction = LazyOp<Tensor(const Tensor&, std::optional<Dtype>)>;
  static constinit const Reduction mean("aten::mean");
  static constinit const Reduction sum("aten::sum");
  const auto reduction = call.get<int64_t>(k);
  if (reduction < 0 || reduction > 2) {
    fail_argument(call.op(), "reduction", "0 (none), 1 (mean) or 2 (sum)", reduction);
  }
  if (reduction == 0) return losses;
  return (reduction == 1 ? mean : sum)(losses, std::nullopt);
}

}  // namespace tenon::kernels
