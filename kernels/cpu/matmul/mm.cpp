// SPDX-License-Identifier: Apache-2.0
// aten::mm on the CPU.
#include "kernels/ops/matmul/mm.h"

#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/matmul/gemm.h"
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

namespace {

struct BoundProduct {
  std::string op;
  Dtype dtype;
  Matrix a;
  Matrix b;

  static Matrix matrix(const tenon_tensor_info& info) {
    return {nullptr, info.sizes[0], info.sizes[1], info.strides[0], info.strides[1]};
  }
  void run(void* const* data) const {
    Matrix left = a, right = b;
    left.data = data[0];
    right.data = data[1];
    gemm(op.c_str(), dtype, left, right, data[2]);
  }
};

void capture_product(const Call& call) {
  Product product(call, 0);
  check_dtype(call.op(), "self", product.dtype(), Joined<GemmTypes, Float8Types>());
  capture_bound(call, std::make_unique<BoundProduct>(BoundProduct{
                          call.form.name, product.dtype(), BoundProduct::matrix(product.a),
                          BoundProduct::matrix(product.b)}));
  end_product(call, product);
}

}  // namespace

tenon_status bind_mm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                     tenon_bound* out_bound) {
  return bind_routine<&capture_product>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
