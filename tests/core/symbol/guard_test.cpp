// SPDX-License-Identifier: Apache-2.0
// Guards: which conditions are recorded, and whether they hold for other numbers.
#include <thread>

#include "symbol_testing.h"

namespace tenon::symbol {
namespace {

using Guards = testing::SymbolTest;
using Strings = std::vector<std::string>;

TEST_F(Guards, ThoseThatOthersImply_AreLeftOut) {
  const Word a = size(9);
  EXPECT_TRUE(decide(TENON_SYMBOL_GT, a, 4));
  EXPECT_TRUE(decide(TENON_SYMBOL_NE, a, 5));
  EXPECT_TRUE(decide(TENON_SYMBOL_GE, a, 8));
  EXPECT_TRUE(decide(TENON_SYMBOL_LT, a, 100));
  EXPECT_EQ(guards(), Strings({"s0 >= 8", "s0 < 100"}));
}

TEST_F(Guards, HoldForNumbers_ThatDecideAlike) {
  const Word a = size(4), b = size(4), c = size(6);
  EXPECT_TRUE(decide(TENON_SYMBOL_EQ, a, b));
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, mod(c, 4), 0));
  const auto failure = [&](int64_t x, int64_t y, int64_t z) {
    return env_->first_failure(std::vector{bind(a, x), bind(b, y), bind(c, z)});
  };
  EXPECT_EQ(failure(4, 4, 6), "");
  EXPECT_EQ(failure(7, 7, 7), "");
  EXPECT_EQ(failure(7, 8, 7), "s0 == s1 (aten::view, model.py:12)");
  EXPECT_EQ(failure(7, 7, 8), "s2 % 4 != 0 (aten::view, model.py:12)");
  EXPECT_EQ(failure(1, 1, 7), "s0 >= 2");
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] {
    env_->first_failure(std::vector{bind(a, 4), bind(b, 4)});
  });
}

TEST_F(Guards, OfFloats_AreDecidedByHints) {
  const Word a = size(4);
  const Operand half = env_->apply_real(TENON_SYMBOL_MUL, Operand{a}, Operand{0, 0.5, true});
  const Operand relation = env_->apply_real(TENON_SYMBOL_GT, half, Operand{0, 1.5, true});
  EXPECT_TRUE(env_->decide(*expression_of(relation.word), nullptr));
  EXPECT_EQ(guards(), Strings({"s0 * 0.5 > 1.5"}));
  EXPECT_EQ(env_->first_failure(std::vector{bind(a, 3)}), "s0 * 0.5 > 1.5");
  EXPECT_EQ(env_->first_failure(std::vector{bind(a, 4)}), "");
  EXPECT_EQ(env_->specialize_real(*expression_of(half.word), nullptr), 2.0);
}

// Also meant for ThreadSanitizer.
TEST_F(Guards, ManyThreads_UseOneEnvironment) {
  std::vector<Word> sizes;
  for (int k = 0; k < 8; ++k) sizes.push_back(size(k + 2));
  std::vector<std::vector<Word>> results(4);
  std::vector<std::thread> threads;
  for (auto& made : results) {
    threads.emplace_back([&] {
      Word product = 1;
      for (const Word one : sizes) {
        product = add(mul(product, one), one);
        made.push_back(product);
        decide(TENON_SYMBOL_LT, one, mul(product, 2));
        decide(TENON_SYMBOL_EQ, one, sizes[0]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& made : results) {
    for (size_t k = 0; k < made.size(); ++k) {
      EXPECT_EQ(env_->simplify(made[k]), env_->simplify(results[0][k]));
    }
  }
}

}  // namespace
}  // namespace tenon::symbol
