// SPDX-License-Identifier: Apache-2.0
// aten::_unsafe_view: view() of a temporary that nobody else sees, so that the result counts as
// new.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor unsafe_view(const Tensor& self, Sizes size) {
  static constinit const LazyOp<Tensor(const Tensor&, Sizes)> view("aten::view");
  return view(self, size);
}

}  // namespace

void register_unsafe_view(Library& aten) {
  aten.def("_unsafe_view(Tensor self, SymInt[] size) -> Tensor");
  aten.impl("_unsafe_view", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &unsafe_view,
            composite("unsafe_view"));
}

}  // namespace tenon::kernels
