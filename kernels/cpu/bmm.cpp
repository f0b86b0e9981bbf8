// SPDX-License-Identifier: Apache-2.0
// aten::bmm on the CPU.
#include "kernels/ops/bmm.h"

#include "kernels/cpu/cast.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/routine_of.h"
#include "tenon/hpp/parallel.hpp"

namespace tenon::kernels::cpu {
namespace {

// So many products of elements are a thread's work at a time.
constexpr int64_t kBatchProducts = int64_t{1} << 18;

void bmm(const Call& call) {
  Product product(call, 1);
  const tenon_tensor_info& a = product.a;
  const tenon_tensor_info& b = product.b;
  const Dtype dtype = product.dtype();
  check_dtype(call.op(), "self", dtype, GemmTypes());
  const tenon_tensor_info out = product.result.info();
  const int64_t size = size_of(dtype);
  const int64_t batches = a.sizes[0];
  const auto multiply = [&](int64_t begin, int64_t end, ProductThreads threads) {
    for (int64_t i = begin; i < end; ++i) {
      const char* left = static_cast<const char*>(a.data) + i * a.strides[0] * size;
      const char* right = static_cast<const char*>(b.data) + i * b.strides[0] * size;
      gemm(call.op(), dtype, {left, a.sizes[1], a.sizes[2], a.strides[1], a.strides[2]},
           {right, b.sizes[1], b.sizes[2], b.strides[1], b.strides[2]},
           static_cast<char*>(out.data) + i * out.strides[0] * size, threads);
    }
  };
  // Those of OpenBLAS have its own threads.
  const bool is_wide = dtype == Dtype::F64 || is_complex(dtype);
  const int64_t products = a.sizes[1] * a.sizes[2] * b.sizes[2];
  if (batches < 2 || is_wide) {
    multiply(0, batches, ProductThreads::All);
  } else {
    const int64_t grain = std::max<int64_t>(kBatchProducts / std::max<int64_t>(products, 1), 1);
    parallel_for(batches, grain, [&](int64_t begin, int64_t end) {
      multiply(begin, end, ProductThreads::One);
    });
  }
  if (product.copy_to) cast(product.copy_to.info(), out);
  end_product(call, product);
}

}  // namespace

Operator operator_kBmm() { return routine_of<ops::kBmm, &bmm>(kQuickProduct); }

}  // namespace tenon::kernels::cpu
