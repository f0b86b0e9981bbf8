// SPDX-License-Identifier: Apache-2.0
// From tensors to what launchers take: strided operands, numbers, temporaries on the device.
#include "kernels/cuda/operands.h"

#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/factory.h"

namespace tenon::kernels::cuda {

Strided strided(const Walk& walk, int operands) {
  Strided result;
  result.ndim = walk.ndim();
  result.numel = walk.numel();
  for (int d = 0; d < walk.ndim(); ++d) {
    result.sizes[d] = walk.size(d);
    for (int k = 0; k < operands; ++k) result.strides[k][d] = walk.stride(k, d);
  }
  for (int k = 0; k < operands; ++k) result.data[k] = walk.data(k);
  return result;
}

Strided strided(Sizes sizes, std::initializer_list<Operand> operands) {
  const auto ndim = static_cast<int64_t>(sizes.size());
  const int64_t* order[kMaxOperands] = {};
  int count = 0;
  for (const Operand& operand : operands) order[count++] = operand.strides.data();
  int64_t perm[kMaxDims];
  order_dims(sizes, order, count, perm);
  Walk walk;
  walk.begin(sizes, perm, count);
  int k = 0;
  for (const Operand& operand : operands) {
    walk.set(k++, operand.data, size_of(operand.dtype), operand.strides.data());
  }
  walk.coalesce();
  Strided result = strided(walk, count);
  if (ndim == 0) result.numel = 1;
  return result;
}

Number number_of(const Scalar& scalar) {
  Number number;
  number.re = scalar.to_complex().real();
  number.im = scalar.to_complex().imag();
  number.i = scalar.is_complex() ? static_cast<int64_t>(number.re) : scalar.to_int();
  return number;
}

void copy_on_device(const Tensor& target, const Tensor& source) {
  const tenon_tensor_info to = target.info();
  const tenon_tensor_info from = source.info();
  const DeviceGuard guard(to.device.index);
  launch_copy(to.dtype, from.dtype,
              strided(sizes_of(to), {{to.data, target.dtype(), strides_of(to)},
                                     {from.data, source.dtype(), strides_of(from)}}),
              current_stream(to.device));
}

Tensor to_device(const Tensor& source, const Device& device, Dtype dtype, Sizes strides) {
  Tensor result = Tensor::empty(source.sizes(), dtype, device, strides);
  call_copy(result, source);
  return result;
}

}  // namespace tenon::kernels::cuda
