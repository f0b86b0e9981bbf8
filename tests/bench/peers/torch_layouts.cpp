// SPDX-License-Identifier: Apache-2.0
// The rows of layouts.cpp through libtorch's C++ functions, in inference mode, on one thread.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "peer.h"

namespace {

// Runs `body` again and again on one thread.
template <class Body>
void repeat(int64_t calls, Body&& body) {
  const c10::InferenceMode mode;
  at::set_num_threads(1);
  for (int64_t i = 0; i < calls; ++i) body();
}

void add(int64_t calls, const at::Tensor& a, const at::Tensor& b, at::Tensor out) {
  repeat(calls, [&] { at::add_out(out, a, b); });
}

void sum(int64_t calls, int64_t size, int64_t dim) {
  const at::Tensor self = at::ones({size, size});
  at::Tensor out = at::ones({size});
  repeat(calls, [&] { at::sum_out(out, self, dim); });
}

void amax(int64_t calls, int64_t size, int64_t dim) {
  const at::Tensor self = at::ones({size, size});
  at::Tensor out = at::ones({size});
  repeat(calls, [&] { at::amax_out(out, self, dim); });
}

void add_sizes(int64_t calls, at::IntArrayRef left, at::IntArrayRef right) {
  add(calls, at::ones(left), at::ones(right), at::ones(left));
}

void add_turned(int64_t calls, int64_t size) {
  add(calls, at::ones({size, size}), at::ones({size, size}).t(), at::ones({size, size}));
}

void add_dtypes(int64_t calls, at::ScalarType left, at::ScalarType right, at::ScalarType result) {
  constexpr int64_t kCount = 65536;
  add(calls, at::ones({kCount}, left), at::ones({kCount}, right), at::ones({kCount}, result));
}

template <auto kOut>
void unary(int64_t calls) {
  const at::Tensor self = at::ones({65536});
  at::Tensor out = at::ones({65536});
  repeat(calls, [&] { kOut(out, self); });
}

const tenon_bench_peer peers[] = {
    {"torch/layout/sum_dim0_512", [](int64_t n) { sum(n, 512, 0); }},
    {"torch/layout/sum_dim0_2048", [](int64_t n) { sum(n, 2048, 0); }},
    {"torch/layout/sum_dim1_512", [](int64_t n) { sum(n, 512, 1); }},
    {"torch/layout/amax_dim0_512", [](int64_t n) { amax(n, 512, 0); }},
    {"torch/layout/amax_dim0_2048", [](int64_t n) { amax(n, 2048, 0); }},
    {"torch/layout/amax_dim1_512", [](int64_t n) { amax(n, 512, 1); }},
    {"torch/layout/add_row_512",
     [](int64_t n) {
       add_sizes(n, {512, 512}, {512});
     }},
    {"torch/layout/add_column_512",
     [](int64_t n) {
       add_sizes(n, {512, 512}, {512, 1});
     }},
    {"torch/layout/add_100000x3_and_3",
     [](int64_t n) {
       add_sizes(n, {100000, 3}, {3});
     }},
    {"torch/layout/add_37500x8_and_8",
     [](int64_t n) {
       add_sizes(n, {37500, 8}, {8});
     }},
    {"torch/layout/add_9375x32_and_32",
     [](int64_t n) {
       add_sizes(n, {9375, 32}, {32});
     }},
    {"torch/layout/add_turned_512", [](int64_t n) { add_turned(n, 512); }},
    {"torch/layout/add_turned_2048", [](int64_t n) { add_turned(n, 2048); }},
    {"torch/layout/exp_64k", &unary<[](at::Tensor& o, const at::Tensor& a) { at::exp_out(o, a); }>},
    {"torch/layout/tanh_64k",
     &unary<[](at::Tensor& o, const at::Tensor& a) { at::tanh_out(o, a); }>},
    {"torch/layout/sigmoid_64k",
     &unary<[](at::Tensor& o, const at::Tensor& a) { at::sigmoid_out(o, a); }>},
    {"torch/layout/add_f16_64k", [](int64_t n) { add_dtypes(n, at::kHalf, at::kHalf, at::kHalf); }},
    {"torch/layout/add_bf16_64k",
     [](int64_t n) { add_dtypes(n, at::kBFloat16, at::kBFloat16, at::kBFloat16); }},
    {"torch/layout/add_i64_f32_64k",
     [](int64_t n) { add_dtypes(n, at::kLong, at::kFloat, at::kFloat); }},
    {nullptr, nullptr},
};

}  // namespace

const tenon_bench_peer* torch_layout_rows() { return peers; }
