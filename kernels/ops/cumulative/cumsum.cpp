// SPDX-License-Identifier: Apache-2.0
// The result of aten::cumsum.
#include "kernels/ops/cumulative/cumsum.h"

#include "kernels/common/overlap.h"
#include "kernels/common/promotion.h"

namespace tenon::kernels {

Tensor running_result(const Call& call, int64_t& dim) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim);
  const Dtype own = dtype_of_info(self);
  Dtype dtype = is_bool_or_integral(own) ? Dtype::I64 : own;
  if (!call.form.is_functional()) {
    const tenon_tensor_info written = Tensor::retain(call.written()).info();
    check_no_partial_overlap(call.op(), written, self);
    dtype = dtype_of_info(written);
  }
  dtype = call.get<std::optional<Dtype>>(2).value_or(dtype);
  return result_for(call, sizes_of(self), dtype, Device(self.device));
}

namespace ops {

void cumsum_meta(const Call& call) {
  int64_t dim;
  Tensor result = running_result(call, dim);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
