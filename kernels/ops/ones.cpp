// SPDX-License-Identifier: Apache-2.0
// aten::ones: a tensor of ones.
#include "kernels/ops/factory.h"

namespace tenon::kernels {
namespace {

Tensor ones(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
            std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = call_empty(size, {dtype, layout, device, pin_memory});
  call_fill(result, Scalar(1));
  return result;
}

}  // namespace

void register_ones(Library& aten) {
  aten.def(
      "ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None) -> Tensor");
  aten.impl("ones", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &ones, composite("ones"));
}

}  // namespace tenon::kernels
