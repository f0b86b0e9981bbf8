// SPDX-License-Identifier: Apache-2.0
// aten::softmax and aten::log_softmax: exponentials along a dim, divided by their sum;
// aten::_softmax and aten::_log_softmax, which they call, and their gradients.
#pragma once

#include "kernels/common/families/routine.h"

namespace tenon::kernels {

// One call of _softmax, _log_softmax or their gradients.
struct SoftmaxPlan {
  Tensor result;
  int64_t dim;
};

// Checks the arguments and returns the result, which may be the call's `out`.
SoftmaxPlan softmax_plan(const Call& call);
SoftmaxPlan softmax_backward_plan(const Call& call);

namespace ops {

void softmax(const Call& call);

inline constexpr Facts kSoftmaxInt{
    .family = &kComposite,
    .name = "softmax.int",
    .params = "Tensor self, int dim, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "int_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&softmax},
};

void log_softmax(const Call& call);

inline constexpr Facts kLogSoftmaxInt{
    .family = &kComposite,
    .name = "log_softmax.int",
    .params = "Tensor self, int dim, ScalarType? dtype=None",
    .forms = kFunctional | kOut,
    .out = "int_out",
    .tags = "",
    .gradient = "none: composite",
    .tangent = "none: composite",
    .batching = Batching::Composite,
    .cast = Cast::Fp32Dtype,
    .cast_on_cpu = Cast::None,
    .routine = {&log_softmax},
};

void softmax_meta(const Call& call);

inline constexpr Facts kSoftmax{
    .family = &kRoutine,
    .name = "_softmax",
    .params = "Tensor self, int dim, bool half_to_float",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: _softmax_backward_data(grad, result, dim, self.dtype())",
    .tangent = "_softmax_backward_data(self_t, result, dim, self.dtype())",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&softmax_meta},
};

inline constexpr Facts kLogSoftmax{
    .family = &kRoutine,
    .name = "_log_softmax",
    .params = "Tensor self, int dim, bool half_to_float",
    .forms = kFunctional | kOut,
    .tags = "core",
    .gradient = "self: _log_softmax_backward_data(grad, result, dim, self.dtype())",
    .tangent = "self_t - (result.exp() * self_t).sum(dim, True)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&softmax_meta},
};

void softmax_backward_meta(const Call& call);

inline constexpr Facts kSoftmaxBackwardData{
    .family = &kRoutine,
    .name = "_softmax_backward_data",
    .params = "Tensor grad_output, Tensor output, int dim, ScalarType input_dtype",
    .forms = kFunctional | kOut,
    .outs = "grad_input",
    .tags = "",
    .gradient =
        "grad_output: _softmax_backward_data(grad, output, dim, input_dtype); "
        "output: grad * (grad_output - (grad_output * output).sum(dim, True)) - "
        "grad_output * (grad * output).sum(dim, True)",
    .tangent =
        "_softmax_backward_data(grad_output_t, output, dim, input_dtype) + "
        "output_t * (grad_output - (grad_output * output).sum(dim, True)) - "
        "output * (grad_output * output_t).sum(dim, True)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&softmax_backward_meta},
};

inline constexpr Facts kLogSoftmaxBackwardData{
    .family = &kRoutine,
    .name = "_log_softmax_backward_data",
    .params = "Tensor grad_output, Tensor output, int dim, ScalarType input_dtype",
    .forms = kFunctional | kOut,
    .tags = "",
    .gradient =
        "grad_output: grad - (grad * output.exp()).sum(dim, True); "
        "output: -grad * output.exp() * grad_output.sum(dim, True)",
    .tangent =
        "_log_softmax_backward_data(grad_output_t, output, dim, input_dtype) - "
        "output_t * output.exp() * grad_output.sum(dim, True)",
    .batching = Batching::Shift,
    .cast = Cast::None,
    .routine = {&softmax_backward_meta},
};

}  // namespace ops

}  // namespace tenon::kernels
