// SPDX-License-Identifier: Apache-2.0
// The routine of operators of a tensor and a number: it calls the operator of two tensors.
#include <algorithm>

#include "kernels/common/call.h"
#include "kernels/common/promotion.h"
#include "kernels/common/registrar.h"

namespace tenon::kernels {
namespace {

// Refuses an `out` whose dtype is not that of the tensor form's result.
void check_exact_out(const Call& call, const Tensor& number) {
  ResultType type;
  for (int k = 0; k < call.form.inputs; ++k) type.add(TensorRef(call.tensor(k))->info());
  type.add(number.info());
  Dtype dtype = type.get();
  const bool makes_floats =
      call.facts().tensor_form->pointwise.rule.promote == Promote::CommonFloat;
  if (makes_floats && is_bool_or_integral(dtype)) dtype = default_dtype();
  const Dtype own = TensorRef(call.written())->dtype();
  if (own != dtype) {
    fail_argument(call.op(), call.form.names[call.form.written],
                  std::string("have dtype ") + name_of(dtype), own);
  }
}

void run_number_form(const Call& call) {
  const int at = call.form.inputs > 0 ? 1 : 0;  // after the tensor, or before it
  const Tensor wrapped = number_tensor(Scalar(call.args[at]));
  if (call.form.is_out() && call.facts().pointwise.exact_outs) check_exact_out(call, wrapped);
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
