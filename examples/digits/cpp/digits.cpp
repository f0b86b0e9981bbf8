// SPDX-License-Identifier: Apache-2.0
// The C++ part of the digits demo: the schema of cross_entropy, the kernel of step_, and a training
// loop.
#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

using tenon::Tensor;
namespace aten = tenon::ops::aten;

namespace {

// Stochastic gradient descent with momentum and weight decay, in place.
void step(const Tensor& parameter, const Tensor& velocity, const Tensor& gradient, double rate,
          double momentum, double decay) {
  const auto p = parameter.elements<float>(), v = velocity.elements<float>();
  const auto g = gradient.elements<float>();
  if (v.size() != p.size() || g.size() != p.size()) {
    throw tenon::Error(TENON_ERROR_INVALID_ARGUMENT,
                       "digits::step_: velocity and gradient must have " +
                           std::to_string(p.size()) + " elements as the parameter, got " +
                           std::to_string(v.size()) + " and " + std::to_string(g.size()));
  }
  for (size_t i = 0; i < p.size(); ++i) {
    v[i] = static_cast<float>(momentum) * v[i] + g[i] + static_cast<float>(decay) * p[i];
    p[i] -= static_cast<float>(rate) * v[i];
  }
}

Tensor call(const char* name, const std::vector<tenon::Value>& arguments) {
  return tenon::Op(std::string("digits::") + name).call(arguments)[0].tensor();
}

// Disables recording for its lifetime.
class NoGrad {
 public:
  NoGrad() { tenon::check(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &guard_)); }
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
  ~NoGrad() { tenon_key_guard_leave(&guard_); }

 private:
  tenon_key_guard guard_;
};

struct Network {
  std::vector<Tensor> parameters, velocities;

  Tensor loss(const Tensor& images, const Tensor& labels) const {
    const Tensor sums = call("linear", {images, parameters[0], parameters[1]});
    const Tensor hidden = call("leaky_relu", {sums});
    return call("cross_entropy", {call("linear", {hidden, parameters[2], parameters[3]}), labels});
  }
  void step(double rate) const {
    const NoGrad no_grad;
    for (size_t i = 0; i < parameters.size(); ++i) {
      tenon_tensor* grad = nullptr;
      tenon::check(tenon_tensor_copy_grad(parameters[i].get(), &grad));
      tenon::Op("digits::step_")(parameters[i], velocities[i], Tensor(grad), rate);
      tenon::check(tenon_tensor_set_grad(parameters[i].get(), nullptr));
    }
  }
};

std::tuple<std::vector<Tensor>, Tensor> train(const Tensor& images, const Tensor& labels,
                                              int64_t seed, int64_t epochs) {
  constexpr int64_t kBatch = 32;
  Network network;
  const tenon::Value made = std::move(tenon::Op("digits::parameters")(seed)[0]);
  for (int64_t i = 0; i < made.tensors().size(); ++i) {
    network.parameters.push_back(*made.tensors()[i]);
    network.velocities.push_back(aten::zeros_like(network.parameters.back()));
    tenon::check(tenon_tensor_set_requires_grad(network.parameters.back().get(), 1));
  }
  const int64_t count = images.size(0);
  std::vector<double> losses;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    const double rate = 0.1 * static_cast<double>(epochs - epoch) / static_cast<double>(epochs);
    double total = 0;
    for (int64_t start = 0; start < count; start += kBatch) {
      const int64_t end = std::min(start + kBatch, count);
      const Tensor loss =
          network.loss(aten::slice(images, 0, start, end), aten::slice(labels, 0, start, end));
      tenon::autograd::backward({loss});
      network.step(rate);
      total += aten::item(loss).to_double() * static_cast<double>(end - start);
    }
    losses.push_back(total / static_cast<double>(count));
  }
  const std::array<int64_t, 1> sizes = {epochs};
  return {network.parameters, Tensor::adopt(std::move(losses), sizes)};
}

}  // namespace

TENON_FRAGMENT(digits, m) {
  m.def("cross_entropy(Tensor logits, Tensor labels) -> Tensor");
  m.impl("step_", TENON_KEY_CPU, &step, {.leaf = true, .name = "step"});
}

TENON_LIBRARY(digits_cpp, m) {
  m.def("train(Tensor images, Tensor labels, int seed, int epochs) -> (Tensor[], Tensor)", &train);
}

TENON_PLUGIN("digits_cpp", "0.1.0");
