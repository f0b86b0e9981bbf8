// SPDX-License-Identifier: Apache-2.0
// aten::bmm on the CPU.
#include "kernels/common/registrar.h"
#include "kernels/cpu/gemm.h"
#include "kernels/ops/mm.h"

namespace tenon::kernels::cpu {
namespace {

Tensor bmm(const Tensor& self, const Tensor& mat2) {
  const tenon_tensor_info a = self.info();
  const tenon_tensor_info b = mat2.info();
  Tensor result = bmm_result(self, mat2);
  const Dtype dtype = dtype_of_info(a);
  check_dtype("aten::bmm", "self", dtype, GemmTypes());
  const tenon_tensor_info out = result.info();
  const int64_t size = size_of(dtype);
  for (int64_t i = 0; i < a.sizes[0]; ++i) {
    const char* left = static_cast<const char*>(a.data) + i * a.strides[0] * size;
    const char* right = static_cast<const char*>(b.data) + i * b.strides[0] * size;
    gemm("aten::bmm", dtype, {left, a.sizes[1], a.sizes[2], a.strides[1], a.strides[2]},
         {right, b.sizes[1], b.sizes[2], b.strides[1], b.strides[2]},
         static_cast<char*>(out.data) + i * out.strides[0] * size);
  }
  return result;
}

}  // namespace

void register_bmm(Library& aten) { aten.impl("bmm", TENON_KEY_CPU, &bmm, quick("cpu::bmm", 4096)); }

}  // namespace tenon::kernels::cpu
