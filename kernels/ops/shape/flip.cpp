// SPDX-License-Identifier: Apache-2.0
// Argument checks and result of aten::flip.
#include "kernels/ops/shape/flip.h"

#include "kernels/common/overlap.h"

namespace tenon::kernels {

Tensor flip_result(const Call& call, uint64_t* out_dims) {
  const tenon_tensor_info self = call.get<Tensor>(0)->info();
  check_defined(call.op(), "self", self);
  const auto dims = call.get<Sizes>(1);
  *out_dims = 0;
  for (const int64_t given : dims) {
    const uint64_t bit = uint64_t{1} << wrap_dim(call.op(), given, self.ndim);
    if ((*out_dims & bit) != 0) fail_argument(call.op(), "dims", "free of duplicates", dims);
    *out_dims |= bit;
  }
  check_written_apart(call, self);
  const Dims strides = preserving_strides(sizes_of(self), strides_of(self));
  return result_for(call, sizes_of(self), dtype_of_info(self), Device(self.device),
                    strides.begin());
}

namespace ops {

void flip_meta(const Call& call) {
  uint64_t dims;
  Tensor result = flip_result(call, &dims);
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace ops

}  // namespace tenon::kernels
