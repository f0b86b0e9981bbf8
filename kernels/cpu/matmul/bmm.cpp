// SPDX-License-Identifier: Apache-2.0
// aten::bmm on the CPU.
#include "kernels/ops/matmul/bmm.h"

#include "kernels/cpu/bind.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/matmul/gemm.h"
#include "kernels/cpu/routine_of.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {
namespace {

// Minimum number of multiplications that a thread does at a time.
constexpr int64_t kBatchProducts = int64_t{1} << 18;

void multiply_range(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b,
                    const tenon_tensor_info& out, int64_t begin, int64_t end,
                    ProductThreads threads) {
  const Dtype dtype = dtype_of_info(a);
  const int64_t size = size_of(dtype);
  for (int64_t i = begin; i < end; ++i) {
    const char* left = static_cast<const char*>(a.data) + i * a.strides[0] * size;
    const char* right = static_cast<const char*>(b.data) + i * b.strides[0] * size;
    gemm(op, dtype, {left, a.sizes[1], a.sizes[2], a.strides[1], a.strides[2]},
         {right, b.sizes[1], b.sizes[2], b.strides[1], b.strides[2]},
         static_cast<char*>(out.data) + i * out.strides[0] * size, threads);
  }
}

void multiply(const char* op, const tenon_tensor_info& a, const tenon_tensor_info& b,
              const tenon_tensor_info& out) {
  const Dtype dtype = dtype_of_info(a);
  const int64_t batches = a.sizes[0];
  // OpenBLAS uses its own threads for these.
  const bool is_wide = dtype == Dtype::F64 || is_complex(dtype);
  const int64_t products = a.sizes[1] * a.sizes[2] * b.sizes[2];
  if (batches < 2 || is_wide) {
    return multiply_range(op, a, b, out, 0, batches, ProductThreads::All);
  }
  const int64_t grain = std::max<int64_t>(kBatchProducts / std::max<int64_t>(products, 1), 1);
  parallel_for(batches, grain, [&](int64_t begin, int64_t end) {
    multiply_range(op, a, b, out, begin, end, ProductThreads::One);
  });
}

void bmm(const Call& call) {
  Product product(call, 1);
  check_dtype(call.op(), "self", product.dtype(), GemmTypes());
  const tenon_tensor_info out = product.result.info();
  multiply(call.op(), product.a, product.b, out);
  if (product.copy_to) cast(product.copy_to.info(), out);
  end_product(call, product);
}

struct BoundProducts {
  std::string op;
  BoundInfo a;
  BoundInfo b;
  BoundInfo out;

  void run(void* const* data) const {
    multiply(op.c_str(), a.at(data[0]), b.at(data[1]), out.at(data[2]));
  }
};

void capture_products(const Call& call) {
  Product product(call, 1);
  check_dtype(call.op(), "self", product.dtype(), GemmTypes());
  capture_bound(call, std::make_unique<BoundProducts>(
                          BoundProducts{call.form.name, BoundInfo(product.a), BoundInfo(product.b),
                                        BoundInfo(product.result.info())}));
  end_product(call, product);
}

}  // namespace

Operator operator_kBmm() { return routine_of<ops::kBmm, &bmm>(kQuickProduct); }

tenon_status bind_bmm(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                      tenon_bound* out_bound) {
  return bind_routine<&capture_products>(ctx, op, keys, stack, out_bound);
}

}  // namespace tenon::kernels::cpu
