// SPDX-License-Identifier: Apache-2.0
// The plugin tenon_cuda: the device provider, and kernels for operators that tenon_cpu defines.
#include "kernels/common/registrar.h"
#include "kernels/cuda/operators.h"
#include "kernels/cuda/provider.h"
#include "kernels/cuda/registrations.h"

TENON_IMPL(aten, CUDA, m) {
  using namespace tenon::kernels::cuda;
  register_provider();
  register_factories(m);
  register_copy(m);
  register_sum(m);
  register_mm(m);
  for (const tenon::kernels::Operator& op : operators()) {
    tenon::kernels::implement(m, TENON_KEY_CUDA, "cuda", *op.facts, op.kernel, -1);
  }
}

TENON_PLUGIN("tenon_cuda", "0.1.0", "tenon_cpu");
