// SPDX-License-Identifier: Apache-2.0
// aten::sum: the sum of all elements, or along dims. Integers add up in int64, float16 and bfloat16
// in float32.
#include "kernels/ops/sum.h"

#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor sum_dim_meta(const Tensor& self, std::optional<Sizes> dim, bool keepdim,
                    std::optional<Dtype> dtype) {
  Reduction plan("aten::sum.dim_IntList");
  plan.input(self, dim);
  plan.finish(sum_dtype(self.dtype(), dtype), keepdim);
  return plan.take_result();
}

Tensor sum_meta(const Tensor& self, std::optional<Dtype> dtype) {
  return sum_dim_meta(self, std::nullopt, false, dtype);
}

}  // namespace

Dtype sum_dtype(Dtype self, std::optional<Dtype> dtype) {
  if (dtype) return *dtype;
  return is_bool_or_integral(self) ? Dtype::I64 : self;
}

void register_sum(Library& aten) {
  aten.def("sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", {"reduction"});
  aten.impl("sum", TENON_KEY_META, &sum_meta, quick("sum_meta"));
  aten.def(
      "sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) "
      "-> Tensor",
      {"core", "reduction"});
  aten.impl("sum.dim_IntList", TENON_KEY_META, &sum_dim_meta, quick("sum_dim_meta"));
}

}  // namespace tenon::kernels
