// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/indexing/nonzero.h"

#include "kernels/common/allocation.h"
#include "kernels/common/overlap.h"
#include "kernels/common/symbolic/symbolic.h"
#include "kernels/common/symbolic/unbacked.h"

namespace tenon::kernels {

Tensor nonzero_static_result(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  const auto size = call.get<int64_t>(1);
  if (size < 0) fail_argument(call.op(), "size", ">= 0", size);
  check_written_apart(call, self);
  return result_for(call, Dims{size, self.ndim}, Dtype::I64, Device(self.device));
}

namespace ops {

void nonzero_meta(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  if (!call.form.is_functional() || !makes_symbols(self)) {
    fail_without_data(call.op(), "self must have data, on which the result's sizes depend", self);
  }
  SymbolicDims sizes;
  sizes.insert(0, new_size(self.numel));
  sizes.insert(1, int64_t{self.ndim});
  call.give(0, new_symbolic(allocate({}, Dtype::I64, Device(self.device)), sizes));
}

void nonzero_static_meta(const Call& call) {
  Tensor result = nonzero_static_result(call);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
