// SPDX-License-Identifier: Apache-2.0
// aten::mean: the arithmetic mean of all elements, or along dims; NaN of none.
#include "kernels/common/registrar.h"
#include "kernels/ops/sum.h"

namespace tenon::kernels {
namespace {

Tensor mean_dim_meta(const Tensor& self, std::optional<Sizes> dim, bool keepdim,
                     std::optional<Dtype> dtype) {
  Reduction plan("aten::mean.dim");
  plan.input(self, dim);
  plan.finish(mean_dtype(plan.op(), self.dtype(), dtype), keepdim);
  return plan.take_result();
}

Tensor mean(const Tensor& self, std::optional<Dtype> dtype) {
  using Signature = Tensor(const Tensor&, std::optional<Sizes>, bool, std::optional<Dtype>);
  static constinit const LazyOp<Signature> mean_dim("aten::mean.dim");
  return mean_dim(self, Sizes{}, false, dtype);
}

}  // namespace

Dtype mean_dtype(const char* op, Dtype self, std::optional<Dtype> dtype) {
  const Dtype result = dtype.value_or(self);
  if (!is_floating(result) && !is_complex(result)) {
    fail_dtype(op, dtype ? "dtype" : "self", result, "floating or complex; dtype= says which");
  }
  return result;
}

void register_mean(Library& aten) {
  aten.def("mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", {"reduction"});
  aten.impl("mean", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &mean, composite("mean"));
  aten.def(
      "mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      {"core", "reduction"});
  aten.impl("mean.dim", TENON_KEY_META, &mean_dim_meta, quick("mean_dim_meta"));
}

}  // namespace tenon::kernels
