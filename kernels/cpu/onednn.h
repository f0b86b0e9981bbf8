// SPDX-License-Identifier: Apache-2.0
// Shared by all code that calls oneDNN. Only for sources that define its name, TENON_ONEDNN.
#pragma once

#include <dnnl.h>

#include "kernels/common/check.h"
#include "kernels/cpu/lazy_library.h"
#include "kernels/cpu/lazy_static.h"

namespace tenon::kernels::cpu {

// Returns oneDNN's OpenMP runtime, whose threads are not used because we use our own.
inline const OpenMp& onednn_open_mp() {
  static constinit LazyStatic<OpenMp> runtime;
  return runtime.get([] { return OpenMp::of(TENON_ONEDNN); });
}

inline void require(const char* op, dnnl_status_t status) {
  if (status == dnnl_success) return;
  if (status == dnnl_out_of_memory) fail(TENON_ERROR_OUT_OF_MEMORY, {op, ": out of memory"});
  fail(TENON_ERROR_RUNTIME, {op, ": oneDNN must succeed, got status ", int64_t{status}});
}

}  // namespace tenon::kernels::cpu
