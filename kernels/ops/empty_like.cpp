// SPDX-License-Identifier: Apache-2.0
// aten::empty_like: a tensor of the same sizes, with elements of any value.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor empty_like(const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                  std::optional<Device> device, std::optional<bool> pin_memory,
                  std::optional<MemoryFormat> memory_format) {
  return empty_in_format("aten::empty_like", self.info(),
                         memory_format.value_or(MemoryFormat::Preserve),
                         options_like(self.info(), {dtype, layout, device, pin_memory}));
}

}  // namespace

void register_empty_like(Library& aten) {
  aten.def(std::string("empty_like(Tensor self, ") + kLikeOptions);
  aten.impl("empty_like", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &empty_like,
            composite("empty_like"));
}

}  // namespace tenon::kernels
