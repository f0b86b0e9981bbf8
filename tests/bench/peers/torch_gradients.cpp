// SPDX-License-Identifier: Apache-2.0
// The rows of gradients.cpp through libtorch's C++ functions.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "../thread_clock.h"
#include "peer.h"

namespace {

constexpr int64_t kChain = 100;

struct Factors {
  at::Tensor x = at::ones({1}).set_requires_grad(true);
  at::Tensor w = at::ones({1}).set_requires_grad(true);
};

const Factors& factors() {
  static const auto* both = new Factors;
  at::set_num_threads(1);
  return *both;
}

at::Tensor chain() {
  const auto& [x, w] = factors();
  at::Tensor product = at::mul(x, w);
  for (int64_t i = 1; i < kChain; ++i) product = at::mul(product, w);
  return product;
}

void record(int64_t calls) {
  const auto& [x, w] = factors();
  for (int64_t i = 0; i < calls; ++i) {
    const at::Tensor result = at::mul(x, w);
    asm volatile("" : : "r"(result.unsafeGetTensorImpl()) : "memory");
  }
}

double backward_a_node(int64_t calls) {
  double seconds = 0;
  for (int64_t i = 0; i < calls; ++i) {
    const at::Tensor end = chain();
    const double start = thread_seconds();
    end.backward();
    seconds += thread_seconds() - start;
  }
  return seconds / kChain;
}

double free_a_node(int64_t calls) {
  double seconds = 0;
  for (int64_t i = 0; i < calls; ++i) {
    at::Tensor end = chain();
    const double start = thread_seconds();
    end.reset();
    seconds += thread_seconds() - start;
  }
  return seconds / kChain;
}

const tenon_bench_peer rows[] = {
    {"torch/gradients/record", &record},
    {"torch/gradients/backward_a_node", nullptr, &backward_a_node},
    {"torch/gradients/free_a_node", nullptr, &free_a_node},
    {},
};

}  // namespace

const tenon_bench_peer* torch_gradient_rows() { return rows; }
