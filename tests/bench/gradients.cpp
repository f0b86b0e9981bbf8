// SPDX-License-Identifier: Apache-2.0
// Products of one element, recorded by typed calls, and backward passes over chains of them.
#include "gradients.h"

#include <tenon/tenon.hpp>

#include "thread_clock.h"

namespace {

using tenon::Tensor;

constexpr int64_t kChain = 100;

struct Factors {
  Tensor x = Tensor::from({1.0f}, {1});
  Tensor w = Tensor::from({1.0f}, {1});
  Factors() {
    for (const Tensor* one : {&x, &w}) tenon::check(tenon_tensor_set_requires_grad(one->get(), 1));
  }
};

const Factors& factors() {
  static const auto* both = new Factors;
  return *both;
}

Tensor mul(const Tensor& a, const Tensor& b) {
  static const auto* op =
      new auto(tenon::Op("aten::mul.Tensor").typed<Tensor(const Tensor&, const Tensor&)>());
  return (*op)(a, b);
}

Tensor chain() {
  const auto& [x, w] = factors();
  Tensor product = mul(x, w);
  for (int64_t i = 1; i < kChain; ++i) product = mul(product, w);
  return product;
}

void record(int64_t calls) {
  const auto& [x, w] = factors();
  for (int64_t i = 0; i < calls; ++i) mul(x, w);
}

// Returns the seconds that one node takes in a backward pass.
double backward_a_node(int64_t calls) {
  double seconds = 0;
  for (int64_t i = 0; i < calls; ++i) {
    const Tensor end = chain();
    const double start = thread_seconds();
    tenon::autograd::backward({end});
    seconds += thread_seconds() - start;
  }
  return seconds / kChain;
}

double free_a_node(int64_t calls) {
  double seconds = 0;
  for (int64_t i = 0; i < calls; ++i) {
    Tensor end = chain();
    const double start = thread_seconds();
    end = Tensor();
    seconds += thread_seconds() - start;
  }
  return seconds / kChain;
}

const tenon_bench_peer rows[] = {
    {"gradients/record", &record},
    {"gradients/backward_a_node", nullptr, &backward_a_node},
    {"gradients/free_a_node", nullptr, &free_a_node},
    {},
};

}  // namespace

const tenon_bench_peer* gradient_rows() { return rows; }
