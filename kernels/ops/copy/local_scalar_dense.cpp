// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/copy/local_scalar_dense.h"

#include "kernels/common/symbolic/unbacked.h"

namespace tenon::kernels::ops {

void local_scalar_dense_meta(const Call& call) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  const Dtype dtype = dtype_of_info(self);
  if (self.numel != 1 || is_complex(dtype) || !makes_symbols(self)) {
    fail_without_data(call.op(), "self must have data to be read", self);
  }
  call.results[0] = new_number(dtype);
}

}  // namespace tenon::kernels::ops
