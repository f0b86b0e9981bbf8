// SPDX-License-Identifier: Apache-2.0
// aten::nonzero: the indices of all elements that are not zero, one row each, in row-major order.
#include "kernels/common/check.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor nonzero_meta(const Tensor&) {
  fail(TENON_ERROR_DATA_DEPENDENT,
       {"aten::nonzero: self must have data, on which the result's sizes depend, got a tensor on "
        "meta"});
}

}  // namespace

void register_nonzero(Library& aten) {
  aten.def("nonzero(Tensor self) -> Tensor", {"core", "dynamic_output_shape"});
  aten.impl("nonzero", TENON_KEY_META, &nonzero_meta, quick("nonzero_meta"));
}

}  // namespace tenon::kernels
