// SPDX-License-Identifier: Apache-2.0
// Peers from libtorch: typed and boxed calls of a no-op, add of two 1-element tensors, lookup.
#include <ATen/ops/add.h>
#include <ATen/ops/full.h>
#include <torch/library.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "peer.h"

// torch_small.cpp, torch_layouts.cpp, torch_gradients.cpp and torch_graphs.cpp
const tenon_bench_peer* torch_small_rows();
const tenon_bench_peer* torch_layout_rows();
const tenon_bench_peer* torch_gradient_rows();
const tenon_bench_peer* torch_graph_rows();

namespace {

void noop(const at::Tensor&, const at::Tensor&) {}

TORCH_LIBRARY(tenon_bench_peer, m) { m.def("noop(Tensor a, Tensor b) -> ()"); }
TORCH_LIBRARY_IMPL(tenon_bench_peer, CPU, m) { m.impl("noop", &noop); }

c10::OperatorHandle find() {
  return c10::Dispatcher::singleton().findSchemaOrThrow("tenon_bench_peer::noop", "");
}

struct Tensors {
  c10::InferenceMode mode;
  at::Tensor a = at::full({1}, 1.0f);
  at::Tensor b = at::full({1}, 2.0f);
};

void typed(int64_t calls) {
  const c10::InferenceMode mode;
  static const Tensors tensors;
  static const auto op = find().typed<void(const at::Tensor&, const at::Tensor&)>();
  for (int64_t i = 0; i < calls; ++i) op.call(tensors.a, tensors.b);
}

void typed_with_autograd_keys(int64_t calls) {
  static const at::Tensor a = at::full({1}, 1.0f);
  static const at::Tensor b = at::full({1}, 2.0f);
  static const auto op = find().typed<void(const at::Tensor&, const at::Tensor&)>();
  for (int64_t i = 0; i < calls; ++i) op.call(a, b);
}

void boxed(int64_t calls) {
  const c10::InferenceMode mode;
  static const Tensors tensors;
  static const c10::OperatorHandle op = find();
  torch::jit::Stack stack;
  stack.reserve(2);
  for (int64_t i = 0; i < calls; ++i) {
    stack.emplace_back(tensors.a);
    stack.emplace_back(tensors.b);
    op.callBoxed(stack);
  }
}

void add(int64_t calls) {
  const c10::InferenceMode mode;
  static const Tensors tensors;
  for (int64_t i = 0; i < calls; ++i) {
    const at::Tensor result = at::add(tensors.a, tensors.b);
    asm volatile("" : : "r"(result.unsafeGetTensorImpl()) : "memory");
  }
}

void lookup(int64_t calls) {
  static const c10::OperatorName name{"tenon_bench_peer::noop", ""};
  for (int64_t i = 0; i < calls; ++i) {
    if (!c10::Dispatcher::singleton().findSchema(name)) abort();
  }
}

// Looks up registered operators in random order, in a registry of the size of many_operators'.
void lookup_any(int64_t calls) {
  static const std::vector<c10::OperatorName> names = [] {
    // Never closed: the process ends soon.
    auto* library =
        new torch::Library(torch::Library::DEF, "many", std::nullopt, __FILE__, __LINE__);
    std::vector<size_t> order(kTenonBenchNames);
    for (size_t i = 0; i < order.size(); ++i) {
      const std::string name = "operator_" + std::to_string(i);
      library->def((name + "(Tensor a, Tensor b, *, Scalar alpha=1) -> Tensor").c_str());
      order[i] = i;
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    std::vector<c10::OperatorName> made;
    for (const size_t i : order) made.emplace_back("many::operator_" + std::to_string(i), "");
    return made;
  }();
  static size_t next = 0;
  for (int64_t i = 0; i < calls; ++i) {
    if (!c10::Dispatcher::singleton().findSchema(names[next])) abort();
    next = next + 1 < names.size() ? next + 1 : 0;
  }
}

const tenon_bench_peer peers[] = {
    {"torch/typed_2_tensors", &typed},
    {"torch/typed_2_tensors_autograd_keys", &typed_with_autograd_keys},
    {"torch/boxed_2_tensors", &boxed},
    {"torch/add_1_element", &add},
    {"torch/lookup_by_name", &lookup},
    {"torch/lookup_any", &lookup_any},
};

std::vector<tenon_bench_peer> all_rows() {
  std::vector<tenon_bench_peer> rows(std::begin(peers), std::end(peers));
  for (const tenon_bench_peer* row :
       {torch_small_rows(), torch_layout_rows(), torch_gradient_rows(), torch_graph_rows()}) {
    for (; row->name != nullptr; ++row) rows.push_back(*row);
  }
  rows.push_back({});
  return rows;
}

}  // namespace

const tenon_bench_peer* tenon_bench_peers() {
  static const std::vector<tenon_bench_peer> rows = all_rows();
  return rows.data();
}
