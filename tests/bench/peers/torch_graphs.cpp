// SPDX-License-Identifier: Apache-2.0
// The loop of graph_loop.c through libtorch's C++ functions, in inference mode.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "../thread_clock.h"
#include "peer.h"

namespace {

template <bool IsProduct>
double loop(int64_t calls) {
  at::set_num_threads(1);
  const c10::InferenceMode mode;
  const at::Tensor x = IsProduct ? at::ones({8, 8}) : at::ones({1}), w = x.clone();
  const double start = thread_seconds();
  for (int64_t i = 0; i < calls; ++i) {
    at::Tensor at = x;
    for (int k = 0; k < 10; ++k) {
      at = IsProduct ? at::mm(at, w) : at::mul(at, w);
      at = at::relu(at::add(at::mul(at::add(at, w), w), w));
    }
    asm volatile("" : : "r"(at.unsafeGetTensorImpl()) : "memory");
  }
  return (thread_seconds() - start) / 50;
}

const tenon_bench_peer rows[] = {
    {"torch/graphs/loop", nullptr, &loop<false>},
    {"torch/graphs/loop_mm", nullptr, &loop<true>},
    {},
};

}  // namespace

const tenon_bench_peer* torch_graph_rows() { return rows; }
