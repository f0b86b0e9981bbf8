// SPDX-License-Identifier: Apache-2.0
// aten::mm on the CPU.
#include "kernels/ops/mm.h"

#include "kernels/common/registrar.h"
#include "kernels/cpu/gemm.h"

namespace tenon::kernels::cpu {
namespace {

Tensor mm(const Tensor& self, const Tensor& mat2) {
  const tenon_tensor_info a = self.info();
  const tenon_tensor_info b = mat2.info();
  Tensor result = mm_result(self, mat2);
  check_dtype("aten::mm", "self", dtype_of_info(a), Joined<GemmTypes, Float8Types>());
  gemm("aten::mm", dtype_of_info(a), {a.data, a.sizes[0], a.sizes[1], a.strides[0], a.strides[1]},
       {b.data, b.sizes[0], b.sizes[1], b.strides[0], b.strides[1]}, result.raw_data());
  return result;
}

}  // namespace

void register_mm(Library& aten) { aten.impl("mm", TENON_KEY_CPU, &mm, quick("cpu::mm", 4096)); }

}  // namespace tenon::kernels::cpu
