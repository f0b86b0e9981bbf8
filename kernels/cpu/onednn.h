// SPDX-License-Identifier: Apache-2.0
// What all that calls oneDNN has in common. Only for sources that know its name, TENON_ONEDNN.
#pragma once

#include <dnnl.h>

#include "kernels/common/check.h"
#include "kernels/cpu/late_library.h"
#include "kernels/cpu/made_once.h"

namespace tenon::kernels::cpu {

// The OpenMP of its threads, which are not used: ours are.
inline const OpenMp& onednn_open_mp() {
  static constinit MadeOnce<OpenMp> runtime;
  return runtime.get([] { return OpenMp::of(TENON_ONEDNN); });
}

inline void require(const char* op, dnnl_status_t status) {
  if (status == dnnl_success) return;
  if (status == dnnl_out_of_memory) fail(TENON_ERROR_OUT_OF_MEMORY, {op, ": out of memory"});
  fail(TENON_ERROR_RUNTIME, {op, ": oneDNN must succeed, got status ", int64_t{status}});
}

}  // namespace tenon::kernels::cpu
