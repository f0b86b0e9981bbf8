// SPDX-License-Identifier: Apache-2.0
// Trains with the graph that model.py wrote: run_cpp GRAPH DIGITS TRAINED PLUGINS
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <tenon/hpp/graph.hpp>
#include <tenon/tenon.hpp>

using tenon::Graph;
using tenon::Tensor;

namespace {

constexpr int64_t kBatch = 32, kRow = 65, kSteps = 44, kDone = 2;  // model.py has taken two steps

float train(const char* graph, const char* digits, const char* trained) {
  std::vector<uint8_t> rows(kSteps * kBatch * kRow);
  std::ifstream file(digits, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(rows.data()), static_cast<int64_t>(rows.size()))) {
    throw tenon::Error(TENON_ERROR_SYSTEM, std::string("run_cpp: too little in ") + digits);
  }
  const Graph step = Graph::load(graph);
  float loss = 0;
  for (int64_t i = kDone; i < kSteps; ++i) {
    const std::span<const uint8_t> batch(&rows[static_cast<size_t>(i * kBatch * kRow)],
                                         kBatch * kRow);
    const std::array<int64_t, 2> sizes{kBatch, kRow};
    loss = *step.run({Tensor::from(batch, sizes)})[0].data<float>();
  }
  step.save(trained);  // parameters have changed
  return loss;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) return 2;
  try {
    for (int i = 4; i < count; ++i) tenon::check(tenon_plugin_load(arguments[i], nullptr));
    std::printf("loss %.4f\n", train(arguments[1], arguments[2], arguments[3]));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
