// SPDX-License-Identifier: Apache-2.0
// aten::contiguous: the tensor itself when it is laid out in the memory format, else a copy that
// is.
#include "kernels/ops/to_copy.h"

namespace tenon::kernels {
namespace {

Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  if (memory_format == MemoryFormat::Preserve) {
    fail_argument("aten::contiguous", "memory_format", "contiguous or channels last", "preserve");
  }
  if (has_memory_format(self.info(), memory_format)) return self;
  return clone(self, memory_format);
}

}  // namespace

void register_contiguous(Library& aten) {
  aten.def("contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)");
  aten.impl("contiguous", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &contiguous,
            composite("contiguous"));
}

}  // namespace tenon::kernels
