// SPDX-License-Identifier: Apache-2.0
// The plugin: loading runs this file from top to bottom, and unloading undoes it.
#include "npu.h"

TENON_LIBRARY(npu, m) {
  npu::device_type();
  npu::register_device();
  m.def("fallback_calls() -> int", &npu::fallback_calls);
}

// Runs after the block above has named the backend.
TENON_IMPL(aten, npu, m) {
  npu::register_kernels(m);
  npu::register_random(m);
}

TENON_IMPL(_, , m) { npu::register_fallback(m); }

TENON_PLUGIN("npu", "0.1.0");
