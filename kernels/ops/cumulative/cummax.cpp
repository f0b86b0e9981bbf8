// SPDX-License-Identifier: Apache-2.0
// Argument checks of aten::cummax and aten::cummin.
#include "kernels/ops/cumulative/cummax.h"

#include "kernels/common/overlap.h"
#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

RunningExtremes running_extremes(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  const Dtype dtype = dtype_of_info(self);
  if (is_complex(dtype)) fail_dtype(call.op(), "self", dtype, "real");
  const int64_t dim = wrap_dim(call.op(), call.get<int64_t>(1), self.ndim);
  const Device device(self.device);
  RunningExtremes results{result_for(call, sizes_of(self), dtype, device, nullptr, 0),
                          result_for(call, sizes_of(self), Dtype::I64, device, nullptr, 1), dim};
  if (!call.form.is_functional()) {
    check_no_partial_overlap(call.op(), results.values.info(), self);
    check_no_overlap(call.op(), results.indices.info(), self);
    check_outputs_apart(call.op(), results.values.info(), results.indices.info());
  }
  return results;
}

void cummax_meta(const Call& call) {
  RunningExtremes results = running_extremes(call);
  if (!call.form.is_functional()) return;
  call.give(0, std::move(results.values));
  call.give(1, std::move(results.indices));
}

}  // namespace tenon::kernels::ops
