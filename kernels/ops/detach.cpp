// SPDX-License-Identifier: Apache-2.0
// aten::detach: the same tensor as a new view that is not tracked by autograd.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor detach(const Tensor& self) { return View("aten::detach", self.info()).of(self); }

}  // namespace

void register_detach(Library& aten) {
  aten.def("detach(Tensor(a) self) -> Tensor(a)");
  aten.impl("detach", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &detach, quick("detach"));
}

}  // namespace tenon::kernels
