// SPDX-License-Identifier: Apache-2.0
// aten::reshape: the same elements under other sizes: a view where memory allows it, else a copy.
#include "kernels/common/registrar.h"
#include "kernels/common/shape.h"

namespace tenon::kernels {
namespace {

Tensor reshape(const Tensor& self, Sizes shape) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> unsafe_view("aten::_unsafe_view");
  static constinit const LazyOp<Tensor(const Tensor&, std::optional<MemoryFormat>)> clone(
      "aten::clone");
  const tenon_tensor_info info = self.info();
  const Dims sizes = infer_sizes("aten::reshape", shape, info.numel);
  if (view_strides(info, sizes)) return view(self, sizes);
  return unsafe_view(clone(self, MemoryFormat::Contiguous), sizes);
}

}  // namespace

void register_reshape(Library& aten) {
  aten.def("reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)");
  aten.impl("reshape", TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, &reshape, composite("reshape"));
}

}  // namespace tenon::kernels
