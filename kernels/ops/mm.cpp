// SPDX-License-Identifier: Apache-2.0
// aten::mm: the product of two matrices.
#include "kernels/ops/mm.h"

#include "kernels/common/allocation.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

Tensor mm_meta(const Tensor& self, const Tensor& mat2) { return mm_result(self, mat2); }

// What both products ask of their operands, `batch` dims in front of the matrices.
Tensor product_result(const char* op, const Tensor& self, const Tensor& mat2, int32_t batch) {
  const tenon_tensor_info a = self.info();
  const tenon_tensor_info b = mat2.info();
  const std::string_view expected = batch == 0 ? "a matrix" : "a batch of matrices (3 dims)";
  if (a.ndim != batch + 2) fail_argument(op, "self", expected, sizes_of(a));
  if (b.ndim != batch + 2) fail_argument(op, "mat2", expected, sizes_of(b));
  if (a.dtype != b.dtype) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": mat2 must be ", dtype_of_info(a), " like self, got ", dtype_of_info(b)});
  }
  if (!(Device(a.device) == Device(b.device))) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {op, ": mat2 must be on ", Device(a.device), " like self, got ", Device(b.device)});
  }
  if (a.sizes[batch + 1] != b.sizes[batch] || (batch == 1 && a.sizes[0] != b.sizes[0])) {
    fail(TENON_ERROR_INVALID_ARGUMENT, {op, ": mat2 must have as many rows as self has columns",
                                        batch == 1 ? ", and as many matrices" : "", ", got sizes ",
                                        sizes_of(a), " and ", sizes_of(b)});
  }
  Dims sizes(sizes_of(a));
  sizes[batch + 1] = b.sizes[batch + 1];
  return allocate(sizes, dtype_of_info(a), Device(a.device));
}

}  // namespace

Tensor mm_result(const Tensor& self, const Tensor& mat2) {
  return product_result("aten::mm", self, mat2, 0);
}

Tensor bmm_result(const Tensor& self, const Tensor& mat2) {
  return product_result("aten::bmm", self, mat2, 1);
}

void register_mm(Library& aten) {
  aten.def("mm(Tensor self, Tensor mat2) -> Tensor", {"core"});
  aten.impl("mm", TENON_KEY_META, &mm_meta, quick("mm_meta"));
}

}  // namespace tenon::kernels
