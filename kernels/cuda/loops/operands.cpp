// SPDX-License-Identifier: Apache-2.0
// Conversion of tensors to launch parameters: strided operands, single elements, and temporaries on
// the device.
#include "kernels/cuda/loops/operands.h"

#include <cstring>

#include "kernels/common/maths/element.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/runtime.h"
#include "kernels/ops/factories/factory.h"

namespace tenon::kernels::cuda {

Strided strided(const Walk& walk, int operands) {
  Strided result;
  result.ndim = walk.ndim();
  result.numel = walk.numel();
  for (int d = 0; d < walk.ndim(); ++d) {
    result.sizes[d] = walk.size(d);
    for (int k = 0; k < kMaxOperands; ++k) {
      result.strides[k][d] = k < operands ? walk.stride(k, d) : 0;
    }
  }
  for (int k = 0; k < operands; ++k) result.data[k] = walk.data(k);
  return result;
}

Strided strided_pair(const tenon_tensor_info& target, const tenon_tensor_info& source) {
  const Sizes sizes = sizes_of(target);
  int64_t stretched[TENON_TENSOR_MAX_DIMS];
  broadcast_strides(sizes, sizes_of(source), strides_of(source), stretched);
  const int64_t* const order[] = {target.strides, stretched};
  int64_t perm[TENON_TENSOR_MAX_DIMS];
  order_dims(sizes, order, 2, perm);
  Walk walk;
  walk.begin(sizes, perm, 2);
  walk.set(0, target.data, size_of(dtype_of_info(target)), target.strides);
  walk.set(1, source.data, size_of(dtype_of_info(source)), stretched);
  walk.coalesce();
  return strided(walk, 2);
}

bool is_element(const tenon_tensor_info& info) {
  return info.ndim == 0 && info.device.type == TENON_DEVICE_CPU;
}

void take_element(Strided& walk, int k, const Tensor& source, Dtype dtype, bool keeps_digits) {
  const bool is_small = dtype == Dtype::F16 || dtype == Dtype::BF16 || dtype == Dtype::F8E5M2 ||
                        dtype == Dtype::F8E4M3FN;
  Tensor element = source;
  const auto as = [&](Dtype wanted) {
    if (element.dtype() == wanted) return;
    const Tensor from = element;
    element = Tensor::empty(Sizes(), wanted);
    call_copy(element, from);
  };
  if (!keeps_digits) as(dtype);
  as(is_small ? Dtype::F32 : dtype);
  walk.data[k] = nullptr;
  std::memcpy(walk.elements[k], element.raw_data(), static_cast<size_t>(size_of(element.dtype())));
}

void fill_on_device(const char* op, const tenon_tensor_info& target, const Scalar& value) {
  if (target.numel == 0) return;
  tenon_tensor_info one = target;
  one.ndim = 0;
  Strided walk = strided_pair(target, one);
  walk.data[1] = nullptr;
  visit(op, "self", dtype_of_info(target), AllTypes(), [&]<class T>(Element<T>) {
    const T element = checked_element_of<T>(op, "value", value);
    std::memcpy(walk.elements[1], &element, sizeof element);
  });
  const DeviceGuard guard(target.device.index);
  launch_move(op, target.dtype, walk, current_stream(target.device));
}

void copy_on_device(const char* op, const tenon_tensor_info& target,
                    const tenon_tensor_info& source) {
  if (target.numel == 0) return;
  const DeviceGuard guard(target.device.index);
  const Stream stream = current_stream(target.device);
  const Strided walk = strided_pair(target, source);
  if (target.dtype == source.dtype) {
    launch_move(op, target.dtype, walk, stream);
  } else {
    launch_cast(op, target.dtype, source.dtype, walk, stream);
  }
}

Tensor to_device(const Tensor& source, const Device& device, Dtype dtype, Sizes strides) {
  Tensor result = Tensor::empty(source.sizes(), dtype, device, strides);
  call_copy(result, source);
  return result;
}

}  // namespace tenon::kernels::cuda
