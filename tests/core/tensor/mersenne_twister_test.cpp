// SPDX-License-Identifier: Apache-2.0
// Compares the generator with the standard library's engine and the standard's own number.
#include "tensor/mersenne_twister.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tenon::tensor {
namespace {

TEST(MersenneTwister, TenThousandthNumberOfTheDefaultSeed_IsTheStandards) {
  MersenneTwister engine(5489);
  for (int i = 1; i < 10000; ++i) engine();
  EXPECT_EQ(engine(), 4123659995u);  // [rand.predef] of the C++ standard
}

TEST(MersenneTwister, EverySeed_GivesTheStandardLibrarysNumbers) {
  for (const uint32_t seed : {0u, 1u, 67280421u, 0x80000000u, 0xffffffffu}) {
    MersenneTwister engine(seed);
    std::mt19937 expected(seed);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(engine(), expected()) << seed << " at " << i;
  }
}

// However the numbers are drawn: within a block, up to its end, or over several blocks.
TEST(MersenneTwister, Fill_GivesTheSameAsOneByOne) {
  MersenneTwister engine(7);
  std::mt19937 expected(7);
  for (const int64_t count : {0, 1, 3, 620, 624, 1, 623, 1249, 5000, 0, 1}) {
    std::vector<uint32_t> numbers(static_cast<size_t>(count) + 1, 77);
    engine.fill(numbers.data(), count);
    for (int64_t i = 0; i < count; ++i) ASSERT_EQ(numbers[static_cast<size_t>(i)], expected());
    EXPECT_EQ(numbers.back(), 77u);
  }
}

TEST(MersenneTwister, WordsAndPlace_AreTheWholeState) {
  MersenneTwister engine(7);
  for (int i = 0; i < 1000; ++i) {
    MersenneTwister copy(engine.words(), engine.next());
    EXPECT_EQ(copy(), MersenneTwister(engine)());
    engine();
  }
}

}  // namespace
}  // namespace tenon::tensor
