// SPDX-License-Identifier: Apache-2.0
// Products of float matrices from oneDNN, which picks its code by what the processor can do.
// Threads are ours: of OpenMP's, those without work look for some for milliseconds, on the cores
// that the next kernel wants.
#include <dnnl.h>

#include "kernels/cpu/blas.h"
#include "kernels/cpu/late_library.h"
#include "kernels/cpu/made_once.h"

namespace tenon::kernels::cpu {

void blas_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
               const float* b, int ldb, float* result, int ld_result) {
  static constinit const LateFunction<decltype(dnnl_sgemm)> sgemm(TENON_ONEDNN, "dnnl_sgemm");
  static constinit MadeOnce<OpenMp> runtime;
  const AloneInOpenMp alone(runtime.get([] { return OpenMp::of(TENON_ONEDNN); }));
  const dnnl_status_t status = sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k,
                                     1.0F, a, lda, b, ldb, 0.0F, result, ld_result);
  if (status == dnnl_out_of_memory) fail(TENON_ERROR_OUT_OF_MEMORY, {"aten::mm: out of memory"});
  if (status != dnnl_success) {
    fail(TENON_ERROR_RUNTIME, {"aten::mm: oneDNN must succeed, got status ", int64_t{status}});
  }
}

}  // namespace tenon::kernels::cpu
