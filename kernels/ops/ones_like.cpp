// SPDX-License-Identifier: Apache-2.0
// aten::ones_like: ones of the same sizes.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor ones_like(const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                 std::optional<Device> device, std::optional<bool> pin_memory,
                 std::optional<MemoryFormat> memory_format) {
  Tensor result = empty_in_format("aten::ones_like", self.info(),
                                  memory_format.value_or(MemoryFormat::Preserve),
                                  options_like(self.info(), {dtype, layout, device, pin_memory}));
  call_fill(result, Scalar(1));
  return result;
}

}  // namespace

void register_ones_like(Library& aten) {
  aten.def(std::string("ones_like(Tensor self, ") + kLikeOptions);
  aten.impl("ones_like", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &ones_like, composite("ones_like"));
}

}  // namespace tenon::kernels
