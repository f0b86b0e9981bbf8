// SPDX-License-Identifier: Apache-2.0
// aten::flip on the CPU.
#include "kernels/ops/shape/flip.h"

#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

void flip(const Call& call) {
  uint64_t dims;
  Tensor result = flip_result(call, &dims);
  tenon_tensor_info source = call.get<Tensor>(0)->info();
  if (source.numel != 0) {
    // Reads from the last element on, by negative strides.
    Dims strides(strides_of(source));
    int64_t start = 0;
    for (int32_t d = 0; d < source.ndim; ++d) {
      if ((dims >> d & 1) == 0 || source.sizes[d] == 1) continue;
      start += (source.sizes[d] - 1) * strides[d];
      strides[d] = -strides[d];
    }
    source.data = static_cast<char*>(source.data) + start * size_of(dtype_of_info(source));
    source.strides = strides.begin();
    if (dims != 0) source.flags &= ~TENON_TENSOR_CONTIGUOUS;
    cast(result.info(), source);
  }
  if (call.form.is_functional()) call.give(0, std::move(result));
}

}  // namespace

Operator operator_kFlip() { return routine_of<ops::kFlip, &flip>(); }

}  // namespace tenon::kernels::cpu
