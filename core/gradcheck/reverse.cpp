// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/reverse.h"

#include "autograd/tensor_state.h"
#include "base/check.h"
#include "tensor/layout.h"

namespace tenon::gradcheck {

using tensor::TensorPtr;

ReverseMode::ReverseMode(const CheckedFunction& function)
    : function_(function), outputs_(function.run_tracked()) {
  for (const TensorPtr& output : outputs_) {
    autograd::GradientEdge flow = autograd::gradient_edge(*output);
    roots_.push_back({std::move(flow.node), flow.output, nullptr});
  }
  for (size_t i = 0; i < function.variable_count(); ++i) {
    autograd::GradientEdge flow = autograd::gradient_edge(function.variable(i));
    targets_.push_back({std::move(flow.node), flow.output});
  }
}

std::vector<TensorPtr> ReverseMode::gradients(std::span<const Seed> seeds) const {
  std::vector<autograd::Root> roots;
  for (const Seed& seed : seeds) {
    roots.push_back(roots_[seed.output]);
    roots.back().grad = seed.grad;
  }
  autograd::PassOptions options;
  options.keep_graph = true;
  return run_grad(roots, targets_, options);
}

std::vector<Elements> ReverseMode::gradients(size_t output, const Numbers& numbers) const {
  const tensor::Tensor& tensor = *outputs_[output];
  Elements elements(static_cast<size_t>(tensor.numel()));
  for (size_t row = 0; row < numbers.size(); ++row) {
    const bool is_real_part = row < elements.size();
    elements[row % elements.size()] +=
        numbers[row] * (is_real_part ? std::complex<double>(1, 0) : std::complex<double>(0, 1));
  }
  const Seed seed{output, make_tensor(elements, tensor)};
  const std::vector<TensorPtr> found = gradients({&seed, 1});
  std::vector<Elements> gradients;
  for (size_t i = 0; i < found.size(); ++i) {
    const auto count = static_cast<size_t>(function_.variable(i).numel());
    gradients.push_back(found[i] != nullptr ? read_elements(*found[i]) : Elements(count));
    TENON_CHECK(gradients.back().size() == count, TENON_ERROR_STATE, function_.name(),
                ": gradient of input ", function_.position(i), " must be of sizes ",
                tensor::print_dims(function_.variable(i).size_span()), ", got ",
                tensor::print_dims(found[i]->size_span()));
  }
  return gradients;
}

}  // namespace tenon::gradcheck
