// SPDX-License-Identifier: Apache-2.0
// aten::randn: a tensor of random samples of the standard normal distribution.
#include "kernels/ops/factory.h"

namespace tenon::kernels {
namespace {

Tensor randn_generator(Sizes size, const std::optional<Generator>& generator,
                       std::optional<Dtype> dtype, std::optional<Layout> layout,
                       std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = call_empty(size, {dtype, layout, device, pin_memory});
  call_normal(result, 0.0, 1.0, generator);
  return result;
}

Tensor randn(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
             std::optional<Device> device, std::optional<bool> pin_memory) {
  return randn_generator(size, std::nullopt, dtype, layout, device, pin_memory);
}

}  // namespace

void register_randn(Library& aten) {
  aten.def(
      "randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None) -> Tensor",
      {"core", "nondeterministic_seeded"});
  aten.def(
      "randn.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, "
      "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      {"nondeterministic_seeded"});
  aten.impl("randn", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &randn, composite("randn"));
  aten.impl("randn.generator", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &randn_generator,
            composite("randn_generator"));
}

}  // namespace tenon::kernels
