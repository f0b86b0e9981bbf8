// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::scatter.
#include "kernels/ops/indexing/scatter.h"

#include "kernels/common/overlap.h"

namespace tenon::kernels {

Tensor scatter_result(const Call& call, int64_t& dim) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const tenon_tensor_info index = call.get<Tensor>(2)->info();
  dim = check_places(call.op(), self, dim, index);
  const bool has_src = call.args[3].tag == TENON_TAG_TENSOR;
  if (has_src) check_source(call.op(), self, index, call.get<Tensor>(3)->info());
  if (!call.form.is_functional()) {
    const tenon_tensor_info written = Tensor::retain(call.written()).info();
    check_no_overlap(call.op(), written, index);
    if (has_src) check_no_overlap(call.op(), written, call.get<Tensor>(3)->info());
    check_no_partial_overlap(call.op(), written, self);
  }
  return result_for(call, sizes_of(self), dtype_of_info(self), Device(self.device));
}

namespace ops {

void scatter_meta(const Call& call) {
  auto dim = call.get<int64_t>(1);
  Tensor result = scatter_result(call, dim);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
