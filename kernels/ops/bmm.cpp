// SPDX-License-Identifier: Apache-2.0
// aten::bmm: the products of two batches of matrices, one by one.
#include "kernels/common/registrar.h"
#include "kernels/ops/mm.h"

namespace tenon::kernels {
namespace {

Tensor bmm_meta(const Tensor& self, const Tensor& mat2) { return bmm_result(self, mat2); }

}  // namespace

void register_bmm(Library& aten) {
  aten.def("bmm(Tensor self, Tensor mat2) -> Tensor", {"core"});
  aten.impl("bmm", TENON_KEY_META, &bmm_meta, quick("bmm_meta"));
}

}  // namespace tenon::kernels
