// SPDX-License-Identifier: Apache-2.0
// aten::copy_ within a CUDA device, between devices, and between CUDA and the CPU.
#include "kernels/ops/copy.h"

#include "kernels/cuda/operands.h"
#include "kernels/cuda/registrations.h"
#include "kernels/ops/factory.h"

namespace tenon::kernels::cuda {
namespace {

// Whether two tensors are the same bytes in a row: then one transfer is enough.
bool same_bytes(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  return a.dtype == b.dtype && is_contiguous(a) && is_contiguous(b) &&
         std::ranges::equal(sizes_of(a), sizes_of(b));
}

void transfer(const tenon_tensor_info& to, const tenon_tensor_info& from, bool blocking) {
  check(tenon_device_copy(to.data, &to.device, from.data, &from.device,
                          to.numel * tenon_dtype_size(to.dtype), blocking ? 1 : 0));
}

// The source with the sizes of the target: stretched dims get stride 0.
Tensor expanded(const Tensor& source, Sizes sizes) {
  int64_t strides[kMaxDims];
  broadcast_strides(sizes, source.sizes(), source.strides(), strides);
  return source.alias(sizes, {strides, sizes.size()}, source.info().storage_offset);
}

Tensor& copy_(Tensor& self, const Tensor& src, bool non_blocking) {
  const tenon_tensor_info target = self.info();
  const tenon_tensor_info source = src.info();
  check_copy(target, source);
  if (target.numel == 0) return self;
  if (Device(target.device) == Device(source.device)) {
    copy_on_device(self, expanded(src, self.sizes()));
    return self;
  }
  if (same_bytes(target, source)) {
    // Without pinned memory an asynchronous copy would read or write after its tensor is gone.
    const bool both_cuda =
        target.device.type == TENON_DEVICE_CUDA && source.device.type == TENON_DEVICE_CUDA;
    transfer(target, source, !(both_cuda && non_blocking));
    return self;
  }
  // Through contiguous temporaries on both sides; each side casts and strides where it is best at.
  const Tensor packed = Tensor::empty(src.sizes(), self.dtype(), source.device);
  Tensor writable = packed;
  call_copy(writable, src);
  const Tensor moved = Tensor::empty(src.sizes(), self.dtype(), target.device);
  transfer(moved.info(), packed.info(), true);
  call_copy(self, moved);
  return self;
}

}  // namespace

void register_copy(Library& aten) {
  aten.impl("copy_", TENON_KEY_CUDA, &copy_, {.name = "cuda::copy_"});
}

}  // namespace tenon::kernels::cuda
