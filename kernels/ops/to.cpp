// SPDX-License-Identifier: Apache-2.0
// aten::to: the tensor itself when it has the dtype, device and memory format, else a copy that
// has.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor to(const Tensor& self, const Device& device, Dtype dtype, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  using Format = std::optional<MemoryFormat>;
  using Signature = Tensor(const Tensor&, std::optional<Dtype>, std::optional<Layout>,
                           std::optional<Device>, std::optional<bool>, bool, Format);
  static constinit const LazyOp<Signature> to_copy("aten::_to_copy");
  const tenon_tensor_info info = self.info();
  const Device own(info.device);
  // "cuda" without an index is where a CUDA tensor is already.
  const bool stays = device.type == own.type && (device.index < 0 || device.index == own.index);
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  const bool has_format = format == MemoryFormat::Preserve || has_memory_format(info, format);
  if (!copy && stays && dtype == dtype_of_info(info) && has_format) return self;
  return to_copy(self, dtype, std::nullopt, device, std::nullopt, non_blocking, memory_format);
}

Tensor to_dtype(const Tensor& self, Dtype dtype, bool non_blocking, bool copy,
                std::optional<MemoryFormat> memory_format) {
  return to(self, self.device(), dtype, non_blocking, copy, memory_format);
}

}  // namespace

void register_to(Library& aten) {
  aten.def(
      "to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, "
      "bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)");
  aten.impl("to.device", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &to, composite("to_device"));
  aten.def(
      "to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)");
  aten.impl("to.dtype", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &to_dtype, composite("to_dtype"));
}

}  // namespace tenon::kernels
