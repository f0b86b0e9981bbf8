// SPDX-License-Identifier: Apache-2.0
// Graphs as C++ programs use them.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include <tenon/hpp/graph.hpp>
#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;
namespace aten = tenon::ops::aten;

std::vector<Tensor> model(std::span<const Tensor> given) {
  return {aten::add(aten::relu(aten::mul(given[0], given[1])), given[0])};
}

Tensor pair(float a, float b) { return Tensor::from<float>({a, b}, {2}); }

std::vector<float> elements(const Tensor& tensor) {
  const float* data = tensor.data<float>();
  return {data, data + tensor.numel()};
}

TEST(Graph, Recorded_RunsOnOtherValues) {
  // [quote.begin record]
  const auto block = [](std::span<const Tensor> given) -> std::vector<Tensor> {
    return {aten::add(aten::relu(aten::mul(given[0], given[1])), given[0])};
  };
  const Graph graph = Graph::record(block, {pair(1, 1), pair(1, 1)});
  const std::vector<Tensor> y = graph.run({pair(3, -1), pair(2, 5)});
  // [quote.end]
  EXPECT_EQ(graph.node_count(), 3);
  EXPECT_STREQ(tenon_op_name(graph.node(1).op), "aten::relu");
  EXPECT_EQ(elements(y[0]), (std::vector<float>{9, -1}));
}

TEST(Graph, Record_WhatTheFunctionThrows_ComesOut) {
  const auto fails = [](std::span<const Tensor>) -> std::vector<Tensor> { throw 7; };
  EXPECT_THROW(Graph::record(fails, {}), int);
  EXPECT_FALSE(tenon_graph_is_recording());
}

TEST(Graph, BuiltByHand_RunsAndIsTransformed) {
  // [quote.begin build]
  Graph graph;
  const int64_t x = graph.add_input("x");
  const int64_t w = graph.add_attribute(pair(2, 3), "w");
  const Op mul("aten::mul.Tensor");
  const int64_t square = graph.append(mul, {Graph::ref(w), Graph::ref(w)});
  graph.append(Op("aten::sin"), {Graph::ref(x)});
  graph.add_output(Graph::ref(graph.append(mul, {Graph::ref(x), Graph::ref(square)})));
  // [quote.end]
  const Graph small = graph.transform(TENON_GRAPH_FOLD_CONSTANTS | TENON_GRAPH_REMOVE_DEAD);
  EXPECT_EQ(small.node_count(), 1);
  for (const Graph& each : {graph, small}) {
    EXPECT_EQ(elements(each.run({pair(1, 2)})[0]), (std::vector<float>{4, 18}));
  }
}

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < graph.node_count(); ++i) {
    names.emplace_back(tenon_op_name(graph.node(i).op));
  }
  return names;
}

// relu(x * x) + x
Graph square_and_relu() {
  const auto block = [](std::span<const Tensor> x) -> std::vector<Tensor> {
    return {aten::add(aten::relu(aten::mul(x[0], x[0])), x[0])};
  };
  return Graph::record(block, {pair(1, 1)});
}

TEST(Graph, Rewrite_KeepsReplacesAndDrops) {
  const Graph graph = square_and_relu();
  // [quote.begin rewrite]
  const Op square("aten::square");
  const Graph smaller = graph.rewrite([&](GraphCall& call) {
    if (call.name() == "aten::relu") call.replace(call.arg(0));
    if (call.name() != "aten::mul.Tensor") return;
    if (call.arg(0).get().as.i == call.arg(1).get().as.i) {
      call.replace(call.append(square, {call.arg(0)}));
    }
  });
  // [quote.end]
  EXPECT_EQ(names_of(smaller), (std::vector<std::string>{"aten::square", "aten::add.Tensor"}));
  EXPECT_EQ(elements(smaller.run({pair(2, -3)})[0]), (std::vector<float>{6, 6}));
  EXPECT_EQ(smaller.value(1).ndim, 1);
}

TEST(Graph, Rewrite_WhatThePassThrows_ComesOut) {
  const Graph graph = square_and_relu();
  EXPECT_THROW(graph.rewrite([](GraphCall&) { throw std::out_of_range("here"); }),
               std::out_of_range);
  try {
    graph.rewrite([](GraphCall& call) { call.replace(std::vector<Value>{1, 2}); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the call's 1, got 2"), std::string::npos);
  }
  EXPECT_THROW(graph.rewrite([](GraphCall& call) { call.arg(9); }), Error);
  EXPECT_THROW(graph.rewrite([](GraphCall& call) { call.drop(); }), Error);
}

TEST(Graph, ReplacePattern_ReplacesEachMatch) {
  // [quote.begin pattern]
  const auto relu_of_product = [](std::span<const Tensor> x) -> std::vector<Tensor> {
    return {aten::relu(aten::mul(x[0], x[1]))};
  };
  const auto sum_with_abs = [](std::span<const Tensor> x) -> std::vector<Tensor> {
    return {aten::add(x[0], aten::abs(x[1]))};
  };
  const Graph graph = Graph::record(model, {pair(1, 1), pair(1, 1)});
  const Graph pattern = Graph::record(relu_of_product, {pair(1, 1), pair(1, 1)});
  const Graph replacement = Graph::record(sum_with_abs, {pair(1, 1), pair(1, 1)});
  int64_t count = 0;
  const Graph changed = graph.replace_pattern(pattern, replacement, 0, &count);
  // [quote.end]
  EXPECT_EQ(count, 1);
  EXPECT_EQ(elements(changed.run({pair(1, 2), pair(-3, 4)})[0]), (std::vector<float>{5, 8}));
  EXPECT_NO_THROW(changed.check_calls());
}

TEST(Graph, Users_AndFrames) {
  Graph graph;
  const int64_t x = graph.add_input("x");
  const int64_t y = graph.append(Op("aten::exp"), {Graph::ref(x)});
  graph.add_output(Graph::ref(y));
  EXPECT_EQ(graph.users(x), std::vector<int64_t>{0});
  EXPECT_EQ(graph.users(y), std::vector<int64_t>{1});
  EXPECT_TRUE(graph.frames(0).empty());
  check(tenon_graph_add_frame(graph.get(), 0, TENON_LANGUAGE_CPP, "f", "f.cpp", 3));
  EXPECT_STREQ(graph.frames(0)[0].file, "f.cpp");
}

TEST(Graph, Functionalized_WritesNothing) {
  Graph graph;
  const int64_t x = graph.add_input("x");
  const int64_t y = graph.append(Op("aten::exp"), {Graph::ref(x)});
  graph.append(Op("aten::neg_"), {Graph::ref(y)});
  graph.add_output(Graph::ref(y));
  const Graph pure = graph.functionalize();
  EXPECT_EQ(pure.text().find("aten::neg_"), std::string::npos);
  EXPECT_EQ(elements(pure.run({pair(0, 0)})[0]), (std::vector<float>{-1, -1}));
}

TEST(Graph, TextAndFile_ReadBack) {
  const Graph graph = Graph::record(model, {pair(1, 1), pair(1, 1)});
  EXPECT_EQ(Graph::parse(graph.text()).text(), graph.text());
  const std::string path = testing::TempDir() + "tenon_hpp_graph";
  // [quote.begin file]
  graph.save(path);
  const Graph again = Graph::load(path);
  // [quote.end]
  EXPECT_EQ(again.text(), graph.text());
  std::remove(path.c_str());
}

TEST(Graph, OfPython_Runs) {
  const Graph graph = Graph::load(CONFORMANCE_GRAPHS "/block.safetensors");
  const std::vector<Tensor> results = graph.run({Tensor::from<float>({1, 2}, {1, 2})});
  EXPECT_EQ(elements(results[0]), (std::vector<float>{11}));
  EXPECT_EQ(results[1].data<int64_t>()[0], 0);
}

// A matrix of ones with 3 columns.
Tensor ones(int64_t rows) { return aten::ones({rows, 3}); }

TEST(Graph, OfPythonWithSizes_RunsWithSeveral) {
  const Graph graph = Graph::load(CONFORMANCE_GRAPHS "/dynamic.safetensors");
  EXPECT_EQ(elements(graph.run({ones(2)})[0]), (std::vector<float>{9, 0, 9, 0}));
  EXPECT_EQ(graph.run({ones(5)})[0].sizes()[0], 10);
  EXPECT_EQ(graph.run({ones(5)})[1].sizes()[0], 5);
  EXPECT_THROW(graph.run({Tensor::from<float>({1, 2}, {1, 2})}), Error);
}

TEST(Graph, RecordedWithSizes_RunsWithOthers) {
  // [quote.begin dynamic]
  const auto flat = [](std::span<const Tensor> given) -> std::vector<Tensor> {
    return {aten::reshape(aten::relu(given[0]), {-1})};
  };
  const Graph graph = Graph::record(flat, {ones(4)}, {{"batch", std::nullopt}});
  const std::vector<Tensor> y = graph.run({ones(7)});
  // [quote.end]
  EXPECT_EQ(y[0].sizes()[0], 21);
  EXPECT_EQ(graph.guard_count(), 0);
  EXPECT_THROW(Graph::record(flat, {ones(4)}, {{"batch"}}), Error);
  EXPECT_FALSE(tenon_graph_is_recording());
}

TEST(Graph, SizesThatMustAgree_AreGuards) {
  const auto sum = [](std::span<const Tensor> given) -> std::vector<Tensor> {
    return {aten::add(given[0], given[1])};
  };
  const Graph graph =
      Graph::record(sum, {ones(4), ones(4)}, {{"", std::nullopt}, {"", std::nullopt}});
  ASSERT_EQ(graph.guard_count(), 1);
  EXPECT_EQ(graph.guard(0), "s0 == s1");
  EXPECT_THROW(graph.run({ones(4), ones(5)}), Error);
}

TEST(Graph, Defined_IsAnOperatorWithGradients) {
  Library library(Library::Def, "hpp_graphs");
  const Op op = Graph::record(model, {pair(1, 1), pair(1, 1)}).define(library, "hpp_graphs::block");
  const Tensor x = pair(3, -1), w = pair(2, 5);
  x.set_requires_grad(true);
  const Tensor y = op(x, w)[0].tensor();
  aten::sum(y).backward();
  EXPECT_EQ(elements(x.grad()), (std::vector<float>{3, 1}));
}

}  // namespace
