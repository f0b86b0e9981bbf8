// SPDX-License-Identifier: Apache-2.0
// aten::zeros: a tensor of zeros.
#include "kernels/ops/factory.h"

namespace tenon::kernels {
namespace {

Tensor zeros(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = call_empty(size, {dtype, layout, device, pin_memory});
  call_zero(result);
  return result;
}

}  // namespace

void register_zeros(Library& aten) {
  aten.def(
      "zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None) -> Tensor");
  aten.impl("zeros", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &zeros, composite("zeros"));
}

}  // namespace tenon::kernels
