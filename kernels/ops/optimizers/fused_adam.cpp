// SPDX-License-Identifier: Apache-2.0
// Argument checks of steps of Adam.
#include "kernels/ops/optimizers/fused_adam.h"

#include <string_view>

#include "kernels/common/shape.h"
#include "kernels/ops/arithmetic.h"

namespace tenon::kernels::ops {
namespace {

void check_step(const Call& call, int lists, int64_t count) {
  const auto parameters = call.get<TensorList>(0);
  for (int k = 1; k < lists; ++k) {
    const auto list = call.get<TensorList>(k);
    if (list.size() != count) {
      fail(TENON_ERROR_INVALID_ARGUMENT,
           {call.op(), ": ", call.form.names[k], " must have as many tensors as self, ", count,
            ", got ", list.size()});
    }
    for (int64_t i = 0; i < count; ++i) {
      const Tensor parameter = *parameters[i];
      if (!(list[i]->sizes() == parameter.sizes())) {
        fail(TENON_ERROR_INVALID_ARGUMENT,
             {call.op(), ": ", call.form.names[k], " must have the sizes of self, ",
              parameter.sizes(), ", got ", list[i]->sizes(), " at position ", i});
      }
      check_dtype_of(call.op(), call.form.names[k], list[i]->dtype(), "self", parameter.dtype());
    }
  }
}

}  // namespace

AdamOptions adam_options_of(const Call& call) {
  const int64_t count = call.get<TensorList>(0).size();
  const AdamOptions options{call.get<double>(6), call.get<double>(7),  call.get<double>(8),
                            call.get<double>(9), call.get<double>(10), call.get<bool>(11),
                            call.get<bool>(12)};
  check_step(call, 4, count);
  const auto largest = call.get<TensorList>(4), steps = call.get<TensorList>(5);
  if (options.amsgrad && largest.size() != count) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": max_exp_avg_sqs must have as many tensors as self where amsgrad is True, ",
          count, ", got ", largest.size()});
  }
  if (steps.size() != count) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {call.op(), ": state_steps must have as many tensors as self, ", count, ", got ",
          steps.size()});
  }
  return options;
}

void fused_adam_meta(const Call& call) { adam_options_of(call); }

void fused_adam_numbers(const Call& call) {
  using Step =
      void(TensorList, TensorList, TensorList, TensorList, TensorList, TensorList, double, double,
           double, double, double, bool, bool, const OptionalTensor&, const OptionalTensor&);
  static constinit const LazyOp<Step> adam("aten::_fused_adam_"), adamw("aten::_fused_adamw_");
  static constinit const LazyOp<Scalar(const Tensor&)> item("aten::item");
  const double lr = item(*call.get<Tensor>(6)).to_double();
  const auto& step =
      std::string_view(call.op()).find("adamw") != std::string_view::npos ? adamw : adam;
  step(call.get<TensorList>(0), call.get<TensorList>(1), call.get<TensorList>(2),
       call.get<TensorList>(3), call.get<TensorList>(4), call.get<TensorList>(5), lr,
       call.get<double>(7), call.get<double>(8), call.get<double>(9), call.get<double>(10),
       call.get<bool>(11), call.get<bool>(12), call.get<OptionalTensor>(13),
       call.get<OptionalTensor>(14));
}

}  // namespace tenon::kernels::ops
