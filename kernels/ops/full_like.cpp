// SPDX-License-Identifier: Apache-2.0
// aten::full_like: a number in a tensor of the same sizes.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor full_like(const Tensor& self, const Scalar& fill_value, std::optional<Dtype> dtype,
                 std::optional<Layout> layout, std::optional<Device> device,
                 std::optional<bool> pin_memory, std::optional<MemoryFormat> memory_format) {
  Tensor result = empty_in_format("aten::full_like", self.info(),
                                  memory_format.value_or(MemoryFormat::Preserve),
                                  options_like(self.info(), {dtype, layout, device, pin_memory}));
  call_fill(result, fill_value);
  return result;
}

}  // namespace

void register_full_like(Library& aten) {
  aten.def(std::string("full_like(Tensor self, Scalar fill_value, ") + kLikeOptions);
  aten.impl("full_like", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &full_like, composite("full_like"));
}

}  // namespace tenon::kernels
