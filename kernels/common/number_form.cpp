// SPDX-License-Identifier: Apache-2.0
// The routine of operators of a tensor and a number: they call the operator of two tensors.
#include <algorithm>

#include "kernels/common/call.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

void run_number_form(const Call& call) {
  const int at = call.form.inputs > 0 ? 1 : 0;  // behind the tensor, or before it
  const Tensor wrapped = number_tensor(Scalar(call.args[at]));
  tenon_value args[OperatorForm::kMaxArguments];
  std::copy_n(call.args, call.form.arguments, args);
  args[at] = tenon_value_of_tensor(wrapped.get());
  tenon_value result = call.call_target(args);
  if (call.form.is_functional()) {
    call.results[0] = result;
  } else {
    tenon_value_clear(&result);
  }
}

}  // namespace

constinit const Family kNumberForm{.name = "number_form",
                                   .run = &run_number_form,
                                   .key = TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD,
                                   .leaf = false};

}  // namespace tenon::kernels
