// SPDX-License-Identifier: Apache-2.0
// Fifty small operators: called in a loop in C, called by a graph, run by a bound plan, and
// recorded. Seconds are per operator.
#include "graphs.h"

#include <stdexcept>
#include <string>

#include <tenon/hpp/graph.hpp>
#include <tenon/tenon.hpp>

#include "graph_loop.h"
#include "thread_clock.h"

namespace {

using tenon::Graph;
using tenon::Tensor;

constexpr int kOperators = 50;

// Operands of one element, or of 8×8.
struct Operands {
  explicit Operands(bool is_product) : is_product(is_product) {
    const std::vector<int64_t> sizes = is_product ? std::vector<int64_t>{8, 8} : std::vector{1L};
    const std::vector<float> ones(is_product ? 64 : 1, 1.0f);
    x = Tensor::from(std::span<const float>(ones), sizes);
    w = Tensor::from(std::span<const float>(ones), sizes);
  }
  Tensor loop(const Tensor& a, const Tensor& b) const {
    tenon_tensor* result = nullptr;
    tenon::check(bench_graph_loop(a.get(), b.get(), is_product, &result));
    return Tensor(result);
  }
  Graph record() const {
    return Graph::record(
        [this](std::span<const Tensor> given) -> std::vector<Tensor> {
          return {loop(given[0], given[1])};
        },
        {x, w});
  }
  // Records a graph that runs by a bound plan, or by calls.
  Graph graph(bool bound) const {
    Graph made = record();
    if (!bound) return made;
    const tenon_value inputs[] = {tenon_value_of_tensor(x.get()), tenon_value_of_tensor(w.get())};
    tenon_buffer* reason = nullptr;
    tenon::check(tenon_graph_bind(made.get(), inputs, 2, &reason));
    if (reason != nullptr) throw std::runtime_error("graphs.cpp: the graph must be bound");
    return made;
  }

  bool is_product;
  Tensor x;
  Tensor w;
};

const Operands& operands(bool is_product) {
  static const auto* small = new Operands(false);
  static const auto* products = new Operands(true);
  return is_product ? *products : *small;
}

template <class Run>
double timed(int64_t calls, Run&& run) {
  const double start = thread_seconds();
  for (int64_t i = 0; i < calls; ++i) run();
  return (thread_seconds() - start) / kOperators;
}

template <bool IsProduct>
double loop(int64_t calls) {
  const Operands& given = operands(IsProduct);
  return timed(calls, [&] { given.loop(given.x, given.w); });
}

template <bool IsProduct, bool IsBound>
double run(int64_t calls) {
  static const auto* graph = new Graph(operands(IsProduct).graph(IsBound));
  const Operands& given = operands(IsProduct);
  tenon_value inputs[] = {tenon_value_of_tensor(given.x.get()),
                          tenon_value_of_tensor(given.w.get())};
  return timed(calls, [&] {
    tenon_value result = tenon_value_of_none();
    tenon_stack stack{};
    stack.args = inputs;
    stack.nargs = 2;
    stack.rets = &result;
    stack.nrets = 1;
    tenon::check(tenon_graph_run(graph->get(), &stack));
    tenon_value_clear(&result);
  });
}

double record(int64_t calls) {
  const Operands& given = operands(false);
  return timed(calls, [&] { given.record(); });
}

const tenon_bench_peer rows[] = {
    {"graphs/loop", nullptr, &loop<false>},
    {"graphs/replay", nullptr, &run<false, false>},
    {"graphs/bound", nullptr, &run<false, true>},
    {"graphs/loop_mm", nullptr, &loop<true>},
    {"graphs/replay_mm", nullptr, &run<true, false>},
    {"graphs/bound_mm", nullptr, &run<true, true>},
    {"graphs/record", nullptr, &record},
    {},
};

}  // namespace

const tenon_bench_peer* graph_rows() { return rows; }
