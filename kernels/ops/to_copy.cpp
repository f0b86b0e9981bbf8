// SPDX-License-Identifier: Apache-2.0
// aten::_to_copy: a copy with another dtype, device or memory format.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor to_copy(const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
               std::optional<Device> device, std::optional<bool> pin_memory, bool non_blocking,
               std::optional<MemoryFormat> memory_format) {
  const tenon_tensor_info info = self.info();
  Tensor result =
      empty_in_format("aten::_to_copy", info, memory_format.value_or(MemoryFormat::Preserve),
                      options_like(info, {dtype, layout, device, pin_memory}));
  call_copy(result, self, non_blocking);
  return result;
}

}  // namespace

Tensor empty_in_format(const char* op, const tenon_tensor_info& like, MemoryFormat memory_format,
                       const FactoryOptions& options) {
  if ((like.flags & TENON_TENSOR_UNDEFINED) != 0) {
    fail_argument(op, "self", "a defined tensor", "the undefined tensor");
  }
  const Sizes sizes = sizes_of(like);
  if (memory_format == MemoryFormat::Preserve) {
    return call_empty_strided(sizes, preserving_strides(sizes, strides_of(like)), options);
  }
  return call_empty(sizes, options, memory_format);
}

FactoryOptions options_like(const tenon_tensor_info& like, const FactoryOptions& given) {
  return {given.dtype.value_or(dtype_of_info(like)), given.layout,
          given.device.value_or(Device(like.device)), given.pin_memory};
}

bool has_memory_format(const tenon_tensor_info& info, MemoryFormat format) {
  if (format == MemoryFormat::Contiguous) return is_contiguous(info);
  const Dims wanted = channels_last_strides("aten::contiguous", sizes_of(info), format);
  for (int64_t i = 0; i < wanted.size(); ++i) {
    if (info.sizes[i] != 1 && info.strides[i] != wanted[i]) return false;
  }
  return true;
}

void register_to_copy(Library& aten) {
  aten.def(
      "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
      {"core"});
  aten.impl("_to_copy", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &to_copy, composite("to_copy"));
}

}  // namespace tenon::kernels
