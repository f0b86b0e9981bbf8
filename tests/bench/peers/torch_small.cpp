// SPDX-License-Identifier: Apache-2.0
// The rows of small_tensors.cpp through libtorch's C++ functions, in inference mode.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "peer.h"

namespace {

struct Tensors {
  at::Tensor a1 = at::ones({1}), b1 = at::ones({1});
  at::Tensor a64 = at::ones({64}), b64 = at::ones({64});
  at::Tensor scalar = at::ones({});
  at::Tensor a88 = at::ones({8, 8}), b88 = at::ones({8, 8}), row = at::ones({8});
  at::Tensor a22 = at::ones({2, 2}), b22 = at::ones({2, 2});
  at::Tensor million = at::ones({1000000}), other_million = at::ones({1000000});
};

const Tensors& tensors() {
  static const auto* all = new Tensors;
  return *all;
}

// Runs `body(tensors)` again and again on one thread.
template <auto kBody>
void repeat(int64_t calls) {
  const c10::InferenceMode mode;
  at::set_num_threads(1);
  const Tensors& all = tensors();
  for (int64_t i = 0; i < calls; ++i) {
    const at::Tensor result = kBody(all);
    asm volatile("" : : "r"(result.unsafeGetTensorImpl()) : "memory");
  }
}

using T = const Tensors&;

// In-place rows write separate tensors.
at::Tensor add_in_place(T t) {
  static at::Tensor self = at::ones({1});
  return self.add_(t.b1);
}
at::Tensor fill_in_place(T) {
  static at::Tensor self = at::ones({64});
  return self.fill_(2.0);
}
// The list exists already, as in a caller that holds one.
at::Tensor cat_1(T t) {
  static const std::vector<at::Tensor> both{t.a1, t.b1};
  return at::cat(both);
}
at::Tensor cat_64(T t) {
  static const std::vector<at::Tensor> both{t.a64, t.b64};
  return at::cat(both);
}
at::Tensor stack_64(T t) {
  static const std::vector<at::Tensor> both{t.a64, t.b64};
  return at::stack(both);
}

const tenon_bench_peer peers[] = {
    {"torch/small/add_1", &repeat<[](T t) { return at::add(t.a1, t.b1); }>},
    {"torch/small/add_64", &repeat<[](T t) { return at::add(t.a64, t.b64); }>},
    {"torch/small/add_8x8", &repeat<[](T t) { return at::add(t.a88, t.b88); }>},
    {"torch/small/add_8x8_and_row", &repeat<[](T t) { return at::add(t.a88, t.row); }>},
    {"torch/small/add_64_and_0dim", &repeat<[](T t) { return at::add(t.a64, t.scalar); }>},
    {"torch/small/add_inplace_1", &repeat<add_in_place>},
    {"torch/small/mul_1", &repeat<[](T t) { return at::mul(t.a1, t.b1); }>},
    {"torch/small/mul_64", &repeat<[](T t) { return at::mul(t.a64, t.b64); }>},
    {"torch/small/lt_64", &repeat<[](T t) { return at::lt(t.a64, t.b64); }>},
    {"torch/small/relu_64", &repeat<[](T t) { return at::relu(t.a64); }>},
    {"torch/small/sqrt_1", &repeat<[](T t) { return at::sqrt(t.a1); }>},
    {"torch/small/fill_64", &repeat<fill_in_place>},
    {"torch/small/sum_1", &repeat<[](T t) { return at::sum(t.a1); }>},
    {"torch/small/sum_64", &repeat<[](T t) { return at::sum(t.a64); }>},
    {"torch/small/sum_8x8_dim1", &repeat<[](T t) { return at::sum(t.a88, 1); }>},
    {"torch/small/mm_2x2", &repeat<[](T t) { return at::mm(t.a22, t.b22); }>},
    {"torch/small/mm_8x8", &repeat<[](T t) { return at::mm(t.a88, t.b88); }>},
    {"torch/small/view_64", &repeat<[](T t) {
       return t.a64.view({8, 8});
     }>},
    {"torch/small/reshape_64", &repeat<[](T t) {
       return t.a64.reshape({8, -1});
     }>},
    {"torch/small/slice_64", &repeat<[](T t) { return at::slice(t.a64, 0, 8, 32, 1); }>},
    {"torch/small/select_8x8", &repeat<[](T t) { return at::select(t.a88, 0, 3); }>},
    {"torch/small/transpose_8x8", &repeat<[](T t) { return at::transpose(t.a88, 0, 1); }>},
    {"torch/small/unsqueeze_64", &repeat<[](T t) { return at::unsqueeze(t.a64, 0); }>},
    {"torch/small/expand_8", &repeat<[](T t) {
       return t.row.expand({8, 8});
     }>},
    {"torch/small/cat_2x1", &repeat<cat_1>},
    {"torch/small/cat_2x64", &repeat<cat_64>},
    {"torch/small/stack_2x64", &repeat<stack_64>},
    {"torch/small/clone_64", &repeat<[](T t) { return at::clone(t.a64); }>},
    {"torch/large/add_1M", &repeat<[](T t) { return at::add(t.million, t.other_million); }>},
    {"torch/large/mul_1M", &repeat<[](T t) { return at::mul(t.million, t.other_million); }>},
    {"torch/large/sum_1M", &repeat<[](T t) { return at::sum(t.million); }>},
    {nullptr, nullptr},
};

}  // namespace

const tenon_bench_peer* torch_small_rows() { return peers; }
