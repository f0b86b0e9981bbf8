// SPDX-License-Identifier: Apache-2.0
// Second-order checks: check the gradients of the function that computes another one's gradients.
#include "autograd/engine/engine.h"
#include "autograd/operators.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "gradcheck/check.h"
#include "gradcheck/random.h"
#include "tensor/layout.h"

namespace tenon::gradcheck {

namespace {

using tensor::Tensor;
using tensor::TensorPtr;

// Returns a random gradient for an output. It requires grad itself.
TensorPtr make_grad(const Tensor& output, bool strided, CheckRandom& random) {
  TensorPtr made = make_tensor(random.elements(output), output);
  if (strided) {
    // Leave a gap after each element.
    std::vector<int64_t> sizes(output.size_span().begin(), output.size_span().end());
    std::vector<int64_t> strides(sizes.size() + 1);
    sizes.push_back(2);
    tensor::row_major_strides(sizes, strides.data());
    sizes.pop_back();
    strides.pop_back();
    made = autograd::operators::copy_as(*made, sizes, strides);
  }
  autograd::set_requires_grad(*made, true);
  return made;
}

// Returns the gradients of a function's inputs, without undefined ones. `all` holds the inputs,
// followed by the gradients of the outputs.
CheckedFunction::Tensors gradients_of(const CheckedFunction& function,
                                      std::span<const tenon_value> all) {
  const std::span<const tenon_value> inputs = all.first(function.inputs().size());
  const std::span<const tenon_value> grads = all.subspan(inputs.size());
  const CheckedFunction::Tensors outputs = function.run_tracked(inputs);
  TENON_CHECK_ARG(outputs.size() == grads.size(), function.name(),
                  ": function must return the same number of outputs each time, got ",
                  outputs.size(), " after ", grads.size());
  std::vector<autograd::Root> roots;
  for (size_t i = 0; i < outputs.size(); ++i) {
    autograd::GradientEdge flow = autograd::gradient_edge(*outputs[i]);
    Tensor* grad = grads[i].tag == TENON_TAG_TENSOR ? grads[i].as.tensor : nullptr;
    roots.push_back({std::move(flow.node), flow.output, TensorPtr::share(grad)});
  }
  std::vector<autograd::Target> targets;
  for (size_t i = 0; i < function.variable_count(); ++i) {
    autograd::GradientEdge flow = autograd::gradient_edge(*inputs[function.position(i)].as.tensor);
    targets.push_back({std::move(flow.node), flow.output});
  }
  autograd::PassOptions options;
  options.keep_graph = true;
  options.create_graph = true;
  CheckedFunction::Tensors found = run_grad(roots, targets, options);
  std::erase_if(found, [](const TensorPtr& each) { return each == nullptr; });
  return found;
}

void check_given(const std::string& name, const CheckedFunction::Tensors& outputs,
                 std::span<Tensor* const> given) {
  TENON_CHECK_ARG(given.size() == outputs.size(), name,
                  ": grad_outputs must have one tensor for each of ", outputs.size(),
                  " outputs that require grad, got ", given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i] == nullptr) continue;
    TENON_CHECK_ARG(std::ranges::equal(given[i]->size_span(), outputs[i]->size_span()), name,
                    ": grad_outputs ", i, " must have the output's shape ",
                    tensor::print_dims(outputs[i]->size_span()), ", got ",
                    tensor::print_dims(given[i]->size_span()));
    TENON_CHECK_TYPE(given[i]->dtype() == outputs[i]->dtype(), name, ": grad_outputs ", i,
                     " must have the output's dtype ", tensor::dtype_name(outputs[i]->dtype()),
                     ", got ", tensor::dtype_name(given[i]->dtype()));
  }
}

}  // namespace

std::string check_second_gradients(const CheckedFunction& function,
                                   std::span<Tensor* const> grad_outputs,
                                   const CheckOptions& options) {
  const CheckedFunction::Tensors outputs = function.run_tracked();
  if (!grad_outputs.empty()) check_given(function.name(), outputs, grad_outputs);
  if (outputs.empty()) return "";
  CheckRandom random;
  CheckedFunction::Tensors grads;  // keeps the random gradients alive during the check
  std::vector<tenon_value> inputs(function.inputs().begin(), function.inputs().end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    grads.push_back(grad_outputs.empty() ? make_grad(*outputs[i], options.strided_grads, random)
                                         : TensorPtr::share(grad_outputs[i]));
    inputs.push_back(grads[i] != nullptr ? tenon_value_of_tensor(grads[i].get())
                                         : tenon_value_of_none());
  }
  const size_t first_grad = function.inputs().size();
  const CheckedFunction second(
      function.name(),
      [&](std::span<const tenon_value> all) { return gradients_of(function, all); }, inputs);
  const std::string report = check_gradients(second, options);
  if (report.empty()) return report;
  return base::concat(
      "in the second order check, whose outputs are the gradients of the function's inputs, and "
      "whose inputs from ",
      first_grad, " on are the gradients of its outputs: ", report);
}

}  // namespace tenon::gradcheck
