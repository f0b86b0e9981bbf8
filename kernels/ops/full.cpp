// SPDX-License-Identifier: Apache-2.0
// aten::full: a tensor of one number; its dtype is the number's unless given.
#include "kernels/ops/factory.h"

namespace tenon::kernels {
namespace {

Tensor full(Sizes size, const Scalar& fill_value, std::optional<Dtype> dtype,
            std::optional<Layout> layout, std::optional<Device> device,
            std::optional<bool> pin_memory) {
  Tensor result =
      call_empty(size, {dtype.value_or(inferred_dtype(fill_value)), layout, device, pin_memory});
  call_fill(result, fill_value);
  return result;
}

}  // namespace

void register_full(Library& aten) {
  aten.def(
      "full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, "
      "Device? device=None, bool? pin_memory=None) -> Tensor",
      {"core"});
  aten.impl("full", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &full, composite("full"));
}

}  // namespace tenon::kernels
