// SPDX-License-Identifier: Apache-2.0
// aten::alias: the same tensor as a new view.
#include "kernels/common/registrar.h"
#include "kernels/common/view.h"

namespace tenon::kernels {
namespace {

Tensor alias(const Tensor& self) { return View("aten::alias", self.info()).of(self); }

}  // namespace

void register_alias(Library& aten) {
  aten.def("alias(Tensor(a) self) -> Tensor(a)", {"core"});
  aten.impl("alias", TENON_KEY_COMPOSITE_EXPLICIT_AUTOGRAD, &alias, quick("alias"));
}

}  // namespace tenon::kernels
