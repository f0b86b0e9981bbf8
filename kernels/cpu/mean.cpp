// SPDX-License-Identifier: Apache-2.0
// aten::mean on the CPU.
#include "kernels/common/registrar.h"
#include "kernels/cpu/run.h"
#include "kernels/cpu/sum.h"
#include "kernels/ops/sum.h"

namespace tenon::kernels::cpu {
namespace {

Tensor mean_dim(const Tensor& self, std::optional<Sizes> dim, bool keepdim,
                std::optional<Dtype> dtype) {
  Reduction plan("aten::mean.dim");
  plan.input(self, dim);
  plan.finish(mean_dtype(plan.op(), self.dtype(), dtype), keepdim);
  sum_into_result(plan, self, static_cast<double>(plan.folded_numel()));
  return plan.take_result();
}

}  // namespace

void register_mean(Library& aten) {
  aten.impl("mean.dim", TENON_KEY_CPU, &mean_dim, quick("cpu::mean_dim", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
