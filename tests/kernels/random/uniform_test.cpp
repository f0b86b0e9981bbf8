// SPDX-License-Identifier: Apache-2.0
// aten::uniform_.
#include <algorithm>
#include <thread>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Tensor uniform(const Tensor& self, const Generator& generator) {
  return call("aten::uniform_", self, kw("generator", generator));
}

TEST(Uniform, WithoutGenerator_DrawsFromTheDefault) {
  const Tensor first = Tensor::empty(Ints{20}, Dtype::F32),
               second = Tensor::empty(Ints{20}, Dtype::F32);
  manual_seed(7);
  call("aten::uniform_", first);
  uniform(second, Generator(7));
  EXPECT_EQ(elements(first), elements(second));
  call("aten::uniform_", second);  // goes on
  EXPECT_NE(elements(first), elements(second));
}

// Numbers that one call leaves unused are drawn by the next one.
TEST(Uniform, Calls_TakeWhatTheyNeed) {
  const Generator parts(7), whole(7);
  std::vector<uint32_t> numbers(1500 + 2 * 9 + 1);
  whole.random(numbers);
  uniform(Tensor::empty(Ints{1500}, Dtype::BF16), parts);
  uniform(Tensor::empty(Ints{3, 3}, Dtype::F64), parts);
  uniform(Tensor::empty(Ints{0, 3}, Dtype::F32), parts);
  std::vector<uint32_t> next(1);
  parts.random(next);
  EXPECT_EQ(next[0], numbers.back());
}

TEST(Uniform, View_LeavesTheRestAlone) {
  const Tensor base = call("aten::zeros", Ints{3, 4});
  uniform(call("aten::select.int", base, 1, 2), Generator(7));
  const Doubles all = elements(base);
  for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i] == 0, i % 4 != 2) << i;
}

TEST(Uniform, ReturnsSelfAndCountsTheWrite) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::F32);
  const int64_t before = tenon_tensor_version(self.get());
  EXPECT_EQ(uniform(self, Generator(7)).get(), self.get());
  EXPECT_EQ(tenon_tensor_version(self.get()), before + 1);
}

TEST(Uniform, Refusals_NameOperatorArgumentExpectedAndGot) {
  const Tensor self = Tensor::empty(Ints{2}, Dtype::F16);
  const auto refused = [&](double from, double to) {
    return std::string(error_of([&] { call("aten::uniform_", self, from, to); }).what());
  };
  EXPECT_EQ(refused(2, 1), "aten::uniform_: from must be at most to, 1, got 2");
  EXPECT_EQ(refused(0, 70000), "aten::uniform_: to must be within the range of float16, got 70000");
  EXPECT_EQ(refused(-4e4, 4e4),
            "aten::uniform_: to - from must be within the range of float16, got 80000");
  const Error other = error_of([&] { call("aten::uniform_", Tensor::empty(Ints{2}, Dtype::I64)); });
  EXPECT_EQ(other.code(), TENON_ERROR_NOT_SUPPORTED);
}

// All threads together draw each number of the sequence once.
TEST(Uniform, OneGeneratorAndManyThreads_DrawDisjointNumbers) {
  constexpr int64_t kThreads = 4, kCalls = 50, kCount = 100;
  const Generator shared(7);
  std::vector<std::vector<Tensor>> drawn(kThreads);
  std::vector<std::thread> threads;
  for (std::vector<Tensor>& mine : drawn) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < kCalls; ++i) {
        mine.push_back(uniform(Tensor::empty(Ints{kCount}, Dtype::F64), shared));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  Doubles all;
  for (const std::vector<Tensor>& mine : drawn) {
    for (const Tensor& tensor : mine) {
      const Doubles some = elements(tensor);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  Doubles expected =
      elements(uniform(Tensor::empty(Ints{kThreads * kCalls * kCount}, Dtype::F64), Generator(7)));
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(all, expected);
}

TEST(Uniform, OfATensor_LeavesItAndKeepsItsStrides) {
  const Tensor self = call("aten::t", Tensor::from<float>({5, 5, 5, 5, 5, 5}, {2, 3}));
  const Tensor result = call("aten::uniform", self, 0.0, 1.0);
  EXPECT_EQ(elements(self), (Doubles(6, 5)));
  EXPECT_EQ(strides(result), (Ints{1, 3}));
  for (const double element : elements(result)) EXPECT_LT(element, 1);
}

}  // namespace
}  // namespace tenon::tests
