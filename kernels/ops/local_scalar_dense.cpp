// SPDX-License-Identifier: Apache-2.0
// aten::_local_scalar_dense: the one element of a tensor, as a number.
#include "kernels/common/check.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Scalar local_scalar_dense_meta(const Tensor&) {
  fail(TENON_ERROR_DATA_DEPENDENT,
       {"aten::_local_scalar_dense: self must have data to be read, got a tensor on meta"});
}

}  // namespace

void register_local_scalar_dense(Library& aten) {
  aten.def("_local_scalar_dense(Tensor self) -> Scalar", {"core", "data_dependent_output"});
  aten.impl("_local_scalar_dense", TENON_KEY_META, &local_scalar_dense_meta,
            quick("local_scalar_dense_meta"));
}

}  // namespace tenon::kernels
