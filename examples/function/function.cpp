// SPDX-License-Identifier: Apache-2.0
// A custom autograd function in C++.
#include <iostream>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

// [quote.begin function]
using tenon::Tensor;
using tenon::autograd::AutogradContext;
using tenon::autograd::variable_list;
namespace aten = tenon::ops::aten;

// k * x², whose gradient needs x and k.
struct Scaled : tenon::autograd::Function<Scaled> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double k) {
    ctx->save_for_backward({x});
    ctx->saved_data["k"] = tenon::Value(k);
    return aten::mul(aten::mul(x, x), k);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const double k = ctx->saved_data["k"].to_double();
    return {aten::mul(aten::mul(grads[0], x), 2 * k), Tensor()};
  }
};

double slope_at_three() {
  const Tensor x = Tensor::from({3.0}, {1}).set_requires_grad(true);
  Scaled::apply(x, 5.0).backward();
  return x.grad().data<double>()[0];  // 30
}
// [quote.end]

int main() {
  std::cout << slope_at_three() << "\n";
  return 0;
}
