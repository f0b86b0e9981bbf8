// SPDX-License-Identifier: Apache-2.0
// aten::mm on the CPU.
#include "kernels/ops/mm.h"

#include "kernels/cpu/cast.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/routine_of.h"

namespace tenon::kernels::cpu {
namespace {

// [quote.begin device]
void mm(const Call& call) {
  Product product(call, 0);
  const tenon_tensor_info& a = product.a;
  const tenon_tensor_info& b = product.b;
  check_dtype(call.op(), "self", product.dtype(), Joined<GemmTypes, Float8Types>());
  gemm(call.op(), product.dtype(), {a.data, a.sizes[0], a.sizes[1], a.strides[0], a.strides[1]},
       {b.data, b.sizes[0], b.sizes[1], b.strides[0], b.strides[1]}, product.result.raw_data());
  if (product.copy_to) cast(product.copy_to.info(), product.result.info());
  end_product(call, product);
}

}  // namespace

Operator operator_kMm() { return routine_of<ops::kMm, &mm>(kQuickProduct); }
// [quote.end]

}  // namespace tenon::kernels::cpu
