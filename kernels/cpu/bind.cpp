// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/bind.h"

namespace tenon::kernels::cpu {

bool run_capturing(const OperatorForm& form, const void* part, tenon_stack* stack) {
  int tensors = 0;
  for (uint32_t i = 0; i < stack->nargs; ++i) {
    if (stack->args[i].tag == TENON_TAG_TENSOR_LIST) return false;
    tensors += stack->args[i].tag == TENON_TAG_TENSOR;
  }
  if (tensors != form.inputs + (form.is_out() ? form.results : 0)) return false;
  OperatorForm capture = form;
  capture.kernel = part;
  const Call call{capture, stack->args, stack->rets};
  form.facts->family->run(call);
  if (!form.is_functional()) {
    for (int k = 0; k < form.results; ++k) call.give(k, Tensor::retain(call.written(k)));
  }
  return true;
}

}  // namespace tenon::kernels::cpu
