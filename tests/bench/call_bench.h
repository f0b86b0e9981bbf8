// SPDX-License-Identifier: Apache-2.0
// Tensors, kernels and calls that the files of call_bench share.
#pragma once

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include <tenon/tenon.hpp>

namespace bench {

using tenon::Library;
using tenon::Op;
using tenon::Tensor;

// A kernel that returns nothing, so that only the call overhead is measured.
inline tenon_status boxed_noop(void*, const tenon_op*, tenon_keyset, tenon_stack*) {
  return TENON_OK;
}

// Exits the program if a call fails that must succeed.
inline void must(tenon_status status) {
  if (status == TENON_OK) return;
  std::fprintf(stderr, "call_bench: %s\n", tenon_error_message(tenon_error_peek()));
  std::exit(1);
}

// Returns two one-element tensors, created once.
inline const std::array<Tensor, 2>& tensors() {
  static const auto* both =
      new std::array<Tensor, 2>{Tensor::from({1.0f}, {1}), Tensor::from({2.0f}, {1})};
  return *both;
}

inline tenon_value boxed(const Tensor& tensor) {
  tenon_value value{};
  value.tag = TENON_TAG_TENSOR;
  value.as.tensor = tensor.get();
  return value;
}

inline std::array<tenon_value, 2> two_boxed() { return {boxed(tensors()[0]), boxed(tensors()[1])}; }

// Repeats a call with the same arguments, after one call that checks their types.
template <size_t N>
void call_boxed(benchmark::State& state, const Op& op, std::array<tenon_value, N> args) {
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = N;
  must(tenon_op_call(op.get(), &stack));
  for (auto _ : state) {
    benchmark::DoNotOptimize(tenon_op_call_fast(op.get(), &stack));
  }
}

}  // namespace bench
