// SPDX-License-Identifier: Apache-2.0
// aten::rand: a tensor of random numbers, uniform in [0, 1).
#include "kernels/ops/factory.h"

namespace tenon::kernels {
namespace {

Tensor rand_generator(Sizes size, const std::optional<Generator>& generator,
                      std::optional<Dtype> dtype, std::optional<Layout> layout,
                      std::optional<Device> device, std::optional<bool> pin_memory) {
  Tensor result = call_empty(size, {dtype, layout, device, pin_memory});
  call_uniform(result, 0.0, 1.0, generator);
  return result;
}

Tensor rand(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
            std::optional<Device> device, std::optional<bool> pin_memory) {
  return rand_generator(size, std::nullopt, dtype, layout, device, pin_memory);
}

}  // namespace

void register_rand(Library& aten) {
  aten.def(
      "rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None) -> Tensor",
      {"core", "nondeterministic_seeded"});
  aten.def(
      "rand.generator(SymInt[] size, *, Generator? generator, ScalarType? dtype=None, "
      "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      {"nondeterministic_seeded"});
  aten.impl("rand", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &rand, composite("rand"));
  aten.impl("rand.generator", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &rand_generator,
            composite("rand_generator"));
}

}  // namespace tenon::kernels
