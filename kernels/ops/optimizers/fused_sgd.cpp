// SPDX-License-Identifier: Apache-2.0
// Argument checks of steps of gradient descent.
#include "kernels/ops/optimizers/fused_sgd.h"

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {

SgdOptions sgd_options_of(const Call& call) {
  const auto parameters = call.get<TensorList>(0);
  const SgdOptions options{call.get<double>(3), call.get<double>(4), call.get<double>(5),
                           call.get<double>(6), call.get<bool>(7),   call.get<bool>(8),
                           call.get<bool>(9)};
  const int64_t count = parameters.size();
  for (int k = 1; k <= (options.momentum != 0 ? 2 : 1); ++k) {
    const auto list = call.get<TensorList>(k);
    if (list.size() != count) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": ", call.form.names[k], " must have as many tensors as self, ", count,
            ", got ", list.size()});
    }
    for (int64_t i = 0; i < count; ++i) {
      if (!(list[i]->sizes() == parameters[i]->sizes())) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": ", call.form.names[k], " must have the sizes of self, ",
              parameters[i]->sizes(), ", got ", list[i]->sizes(), " at position ", i});
      }
      check_dtype_of(call.op(), call.form.names[k], list[i]->dtype(), "self",
                     parameters[i]->dtype());
    }
  }
  return options;
}

void fused_sgd_meta(const Call& call) { sgd_options_of(call); }

void fused_sgd_numbers(const Call& call) {
  using Step = void(TensorList, TensorList, TensorList, double, double, double, double, bool, bool,
                    bool, const OptionalTensor&, const OptionalTensor&);
  static constinit const LazyOp<Step> step("aten::_fused_sgd_");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  step(call.get<TensorList>(0), call.get<TensorList>(1), call.get<TensorList>(2),
       call.get<double>(3), call.get<double>(4), item(*call.get<Tensor>(5)).to_double(),
       call.get<double>(6), call.get<bool>(7), call.get<bool>(8), call.get<bool>(9),
       call.get<OptionalTensor>(10), call.get<OptionalTensor>(11));
}

}  // namespace tenon::kernels::ops
