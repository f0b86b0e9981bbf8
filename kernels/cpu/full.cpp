// SPDX-License-Identifier: Apache-2.0
// aten::full and aten::ones on the CPU, in one step; see zeros.cpp.
#include "kernels/cpu/fill.h"
#include "kernels/cpu/run.h"
#include "kernels/ops/empty.h"

namespace tenon::kernels::cpu {
namespace {

Tensor filled(const char* op, Sizes size, const Scalar& value, const FactoryOptions& options) {
  Tensor result = empty_on(Device(), size, options, std::nullopt);
  fill(op, result.info(), value);
  return result;
}

Tensor full(Sizes size, const Scalar& fill_value, std::optional<Dtype> dtype,
            std::optional<Layout> layout, std::optional<Device> device,
            std::optional<bool> pin_memory) {
  return filled("aten::full", size, fill_value,
                {dtype.value_or(inferred_dtype(fill_value)), layout, device, pin_memory});
}

Tensor ones(Sizes size, std::optional<Dtype> dtype, std::optional<Layout> layout,
            std::optional<Device> device, std::optional<bool> pin_memory) {
  return filled("aten::ones", size, Scalar(1), {dtype, layout, device, pin_memory});
}

}  // namespace

void register_full(Library& aten) {
  aten.impl("full", TENON_KEY_CPU, &full, quick("cpu::full", kQuickNumel));
  aten.impl("ones", TENON_KEY_CPU, &ones, quick("cpu::ones", kQuickNumel));
}

}  // namespace tenon::kernels::cpu
