// SPDX-License-Identifier: Apache-2.0
// What aten::index asks of its arguments, and its result.
#include "kernels/ops/index.h"

#include "kernels/common/overlap.h"

namespace tenon::kernels {

Tensor index_result(const Call& call, const tenon_tensor_info& self, const Indexing& indexing) {
  const Dims strides = indexing.strides();
  Tensor result =
      result_for(call, indexing.sizes(), dtype_of_info(self), Device(self.device), strides.begin());
  if (!call.form.is_functional()) check_no_overlap(call.op(), result.info(), self);
  return result;
}

namespace ops {

void index_meta(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  Tensor result = index_result(call, self, Indexing(call.op(), self, call.args[1]));
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
