// SPDX-License-Identifier: Apache-2.0
// aten::zeros_like: zeros of the same sizes.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor zeros_like(const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  Tensor result = empty_in_format("aten::zeros_like", self.info(),
                                  memory_format.value_or(MemoryFormat::Preserve),
                                  options_like(self.info(), {dtype, layout, device, pin_memory}));
  call_zero(result);
  return result;
}

}  // namespace

void register_zeros_like(Library& aten) {
  aten.def(std::string("zeros_like(Tensor self, ") + kLikeOptions);
  aten.impl("zeros_like", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &zeros_like,
            composite("zeros_like"));
}

}  // namespace tenon::kernels
