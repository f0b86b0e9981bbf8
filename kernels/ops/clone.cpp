// SPDX-License-Identifier: Apache-2.0
// aten::clone: a copy with memory of its own.
#include "kernels/ops/factory.h"
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  const tenon_tensor_info info = self.info();
  Tensor result =
      empty_in_format("aten::clone", info, memory_format.value_or(MemoryFormat::Preserve),
                      {dtype_of_info(info), std::nullopt, Device(info.device), std::nullopt});
  call_copy(result, self);
  return result;
}

}  // namespace

void register_clone(Library& aten) {
  aten.def("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
           {"core", "pointwise"});
  aten.impl("clone", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &clone, composite("clone"));
}

}  // namespace tenon::kernels
