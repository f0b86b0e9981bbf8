// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/function.h"

#include <utility>

#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/warning.h"
#include "tensor/dtype.h"
#include "tensor/layout.h"

namespace tenon::gradcheck {

namespace {

using tensor::Tensor;

bool is_variable(const tenon_value& input) {
  return input.tag == TENON_TAG_TENSOR && autograd::is_differentiable(input.as.tensor->dtype()) &&
         autograd::requires_grad(*input.as.tensor);
}

void check_variable(const std::string& name, size_t position, const Tensor& tensor) {
  TENON_CHECK_ARG(!tensor::may_overlap_itself(tensor.size_span(), tensor.stride_span()), name,
                  ": input ", position, " must not overlap itself in memory, got strides ",
                  tensor::print_dims(tensor.stride_span()), "; call contiguous() on it first");
  if (tensor.dtype() == TENON_DTYPE_F64 || tensor.dtype() == TENON_DTYPE_C128) return;
  const std::string warning = base::concat(
      name, ": input ", position, " should be float64 or complex128, got ",
      tensor::dtype_name(tensor.dtype()),
      ": with lower precision, finite differences are likely to differ from correct gradients");
  if (base::warn("UserWarning", warning.c_str(), "") != TENON_OK) {
    throw Error(base::take_current_error());
  }
}

}  // namespace

CheckedFunction::CheckedFunction(std::string name, Body body, std::span<const tenon_value> inputs)
    : name_(std::move(name)), body_(std::move(body)), inputs_(inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_variable(inputs[i])) continue;
    check_variable(name_, i, *inputs[i].as.tensor);
    variables_.push_back(i);
  }
  TENON_CHECK_ARG(!variables_.empty(), name_,
                  ": at least one input must be a tensor that requires grad, got none of ",
                  inputs.size());
}

CheckedFunction::Tensors CheckedFunction::run(std::span<const tenon_value> inputs) const {
  Tensors outputs = body_(inputs);
  std::erase_if(outputs, [](const tensor::TensorPtr& each) {
    return !autograd::is_differentiable(each->dtype());
  });
  return outputs;
}

CheckedFunction::Tensors CheckedFunction::run_tracked(std::span<const tenon_value> inputs) const {
  Tensors outputs = run(inputs);
  std::erase_if(outputs,
                [](const tensor::TensorPtr& each) { return !autograd::requires_grad(*each); });
  return outputs;
}

}  // namespace tenon::gradcheck
