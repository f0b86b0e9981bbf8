// SPDX-License-Identifier: Apache-2.0
// Products of float matrices from oneDNN, which selects its code by the processor's features. It
// runs on our threads: idle OpenMP threads spin for milliseconds on the cores that the next kernel
// needs.
#include "kernels/cpu/matmul/blas.h"
#include "kernels/cpu/onednn.h"

namespace tenon::kernels::cpu {
namespace {

constexpr const char* kOp = "aten::mm";

// Like dnnl_sgemm. All versions so far export it, although no header declares it.
constexpr const char* kBFloat16Gemm = "dnnl_gemm_bf16bf16f32";
using BFloat16Gemm = dnnl_status_t(char, char, dnnl_dim_t, dnnl_dim_t, dnnl_dim_t, float,
                                   const BFloat16*, dnnl_dim_t, const BFloat16*, dnnl_dim_t, float,
                                   float*, dnnl_dim_t);

}  // namespace

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
               const float* b, int ldb, float* result, int ld_result) {
  static constinit const LazyFunction<decltype(dnnl_sgemm)> sgemm(TENON_ONEDNN, "dnnl_sgemm");
  const SingleOpenMpThread single(onednn_open_mp());
  require(kOp, sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0F, a, lda, b,
                     ldb, 0.0F, result, ld_result));
}

// Without this instruction set oneDNN converts to float first, as we do without oneDNN.
bool has_bfloat16_gemm() {
#if defined(__x86_64__) && defined(__GNUC__)
  static constinit LazyStatic<bool> has;
  return has.get([] {
    return __builtin_cpu_supports("avx512bf16") != 0 &&
           find_late_symbol(TENON_ONEDNN, kBFloat16Gemm) != nullptr;
  });
#else
  return false;
#endif
}

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const BFloat16* a, int lda,
               const BFloat16* b, int ldb, float* result, int ld_result) {
  static constinit const LazyFunction<BFloat16Gemm> gemm(TENON_ONEDNN, kBFloat16Gemm);
  const SingleOpenMpThread single(onednn_open_mp());
  require(kOp, gemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0F, a, lda, b, ldb,
                    0.0F, result, ld_result));
}

}  // namespace tenon::kernels::cpu
