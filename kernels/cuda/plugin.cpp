// SPDX-License-Identifier: Apache-2.0
// The plugin tenon_cuda: the device provider, and kernels for operators that tenon_cpu defines.
#include "kernels/common/registrar.h"
#include "kernels/cuda/operators.h"
#include "kernels/cuda/provider.h"

namespace {

void implement_all(tenon::Library& library, std::string_view ns) {
  for (const tenon::kernels::Operator& op : tenon::kernels::cuda::operators()) {
    if (op.ns != ns) continue;
    tenon::kernels::implement(library, TENON_KEY_CUDA, "cuda", *op.facts, op.kernel, -1);
  }
}

}  // namespace

TENON_IMPL(aten, CUDA, m) {
  tenon::kernels::cuda::register_provider();
  implement_all(m, "aten");
}

TENON_IMPL(tenon, CUDA, m) { implement_all(m, "tenon"); }

TENON_PLUGIN("tenon_cuda", "0.1.0", "tenon_cpu");
