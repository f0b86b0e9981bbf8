// SPDX-License-Identifier: Apache-2.0
// aten::copy_ within a CUDA device, between devices, and between CUDA and the CPU.
#include "kernels/ops/copy/copy.h"

#include "kernels/cuda/loops/operands.h"
#include "kernels/ops/factories/factory.h"
#include "kernels/ops/routine_of.h"

namespace tenon::kernels::cuda {
namespace {

// Returns true if two tensors have the same bytes in one run, so that a single transfer suffices.
bool same_bytes(const tenon_tensor_info& a, const tenon_tensor_info& b) {
  return a.dtype == b.dtype && is_contiguous(a) && is_contiguous(b) &&
         std::ranges::equal(sizes_of(a), sizes_of(b));
}

void transfer(const tenon_tensor_info& to, const tenon_tensor_info& from, bool blocking) {
  check(tenon_device_copy(to.data, &to.device, from.data, &from.device,
                          to.numel * tenon_dtype_size(to.dtype), blocking ? 1 : 0));
}

// Copies through contiguous temporaries on both sides; each side casts and applies strides itself.
void copy_through(Tensor& self, const Tensor& src) {
  const Tensor packed = Tensor::empty(src.sizes(), self.dtype(), src.device());
  Tensor writable = packed;
  call_copy(writable, src);
  const Tensor moved = Tensor::empty(src.sizes(), self.dtype(), self.device());
  transfer(moved.info(), packed.info(), true);
  call_copy(self, moved);
}

void copy_(const Call& call) {
  if (call.tensor(0) == call.tensor(1)) return;
  Tensor self = *call.get<Tensor>(0);
  const Tensor src = *call.get<Tensor>(1);
  const tenon_tensor_info target = self.info();
  const tenon_tensor_info source = src.info();
  check_copy(target, source);
  if (target.numel == 0) return;
  if (Device(target.device) == Device(source.device)) {
    copy_on_device(call.op(), target, source);
  } else if (same_bytes(target, source)) {
    // Without pinned memory, an asynchronous copy could access a tensor after it was freed.
    const bool both_cuda =
        target.device.type == TENON_DEVICE_CUDA && source.device.type == TENON_DEVICE_CUDA;
    transfer(target, source, !(both_cuda && call.get<bool>(2)));
  } else {
    copy_through(self, src);
  }
}

}  // namespace

Operator operator_kCopyInPlace() { return routine_of<ops::kCopyInPlace, &copy_>(); }

}  // namespace tenon::kernels::cuda
