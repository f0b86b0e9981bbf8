// SPDX-License-Identifier: Apache-2.0
// Trains a small network on handwritten digits, with Tenon's operators and a backward pass.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

using tenon::Tensor;
namespace aten = tenon::ops::aten;

constexpr int64_t kEpochs = 40, kBatch = 32, kTraining = 1437;  // images; the last 360 are held out

struct Digits {
  Tensor images, targets;  // targets: 1 at the label, 0 elsewhere
  std::vector<uint8_t> labels;
};

static Digits read_digits(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
  const auto count = static_cast<int64_t>(bytes.size() / 65);
  if (count <= kTraining) {
    throw tenon::Error(TENON_ERROR_SYSTEM, std::string("learn: cannot read digits from ") + path);
  }
  std::vector<float> pixels, targets(static_cast<size_t>(count) * 10);
  std::vector<uint8_t> labels;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const char* const row = &bytes[i * 65];
    std::transform(row, row + 64, std::back_inserter(pixels),
                   [](char pixel) { return static_cast<float>(pixel) / 16; });
    labels.push_back(static_cast<uint8_t>(row[64]));
    targets[i * 10 + labels.back()] = 1;
  }
  const std::array<int64_t, 2> image_sizes = {count, 64}, target_sizes = {count, 10};
  return {Tensor::adopt(std::move(pixels), image_sizes),
          Tensor::adopt(std::move(targets), target_sizes), labels};
}

static Tensor weight(int64_t ins, int64_t outs, const tenon::Generator& generator) {
  const double bound = std::sqrt(6.0 / static_cast<double>(ins + outs));
  return aten::uniform_(aten::zeros({ins, outs}), -bound, bound, generator);
}

static Tensor logits(const Tensor& x, const std::array<Tensor, 4>& p) {
  const Tensor hidden = aten::relu(aten::add(aten::mm(x, p[0]), p[1]));
  return aten::add(aten::mm(hidden, p[2]), p[3]);
}

static Tensor cross_entropy(const Tensor& logits, const Tensor& target) {
  const Tensor z = aten::sub(logits, aten::amax(aten::detach(logits), {1}, true));
  const Tensor all = aten::log(aten::sum(aten::exp(z), {{1}}));
  return aten::mean(aten::sub(all, aten::sum(aten::mul(z, target), {{1}})));
}

static void step(const Tensor& parameter, double rate) {
  tenon_tensor* grad = nullptr;
  tenon::check(tenon_tensor_copy_grad(parameter.get(), &grad));
  aten::sub_(parameter, Tensor(grad), rate);
  tenon::check(tenon_tensor_set_grad(parameter.get(), nullptr));
}

int main(int argc, char** argv) try {
  const Digits digits = read_digits(argc > 1 ? argv[1] : "examples/learn/data/digits.bin");
  const tenon::Generator generator(2);
  const Tensor w1 = weight(64, 32, generator), w2 = weight(32, 10, generator);
  const std::array<Tensor, 4> parameters = {w1, aten::zeros({32}), w2, aten::zeros({10})};
  for (const Tensor& p : parameters) tenon::check(tenon_tensor_set_requires_grad(p.get(), 1));

  for (int64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const double rate = 0.8 * static_cast<double>(kEpochs - epoch) / kEpochs;
    for (int64_t start = 0; start < kTraining; start += kBatch) {
      const int64_t end = std::min(start + kBatch, kTraining);
      const Tensor x = aten::slice(digits.images, 0, start, end);
      const Tensor target = aten::slice(digits.targets, 0, start, end);
      tenon::autograd::backward({cross_entropy(logits(x, parameters), target)});
      tenon_key_guard no_grad;
      tenon::check(tenon_grad_mode_enter(TENON_GRAD_MODE_OFF, &no_grad));
      for (const Tensor& parameter : parameters) step(parameter, rate);
      tenon::check(tenon_key_guard_leave(&no_grad));
    }
  }

  const Tensor guesses =
      aten::argmax(logits(aten::slice(digits.images, 0, kTraining), parameters), 1);
  const std::span<const int64_t> held_out = guesses.elements<int64_t>();
  const auto right =
      std::inner_product(held_out.begin(), held_out.end(), digits.labels.begin() + kTraining, 0,
                         std::plus<>(), std::equal_to<>());
  std::printf("%.1f %% of held-out digits are right\n", 100.0 * right / held_out.size());
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
