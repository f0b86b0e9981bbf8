// SPDX-License-Identifier: Apache-2.0
// Decisions on symbolic relations, made without a guard where possible.
#include "symbol_testing.h"

namespace tenon::symbol {
namespace {

using Decision = testing::SymbolTest;
using Strings = std::vector<std::string>;

TEST_F(Decision, WhatIsKnown_NeedsNoGuard) {
  const Word a = size(4), b = size(5);
  EXPECT_TRUE(decide(TENON_SYMBOL_EQ, add(a, b), add(b, a)));
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, a, add(a, 1)));
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, a, 1));
  EXPECT_TRUE(decide(TENON_SYMBOL_GE, a, 2));
  EXPECT_TRUE(decide(TENON_SYMBOL_GT, mul(a, b), b));
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, mul(a, b), a));
  EXPECT_TRUE(decide(TENON_SYMBOL_LT, a, add(add(a, b), 0)));
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, mul(2, a), 7));
  EXPECT_EQ(guards(), Strings());
}

TEST_F(Decision, ByHints_IsRecordedWithItsPlace) {
  const Word a = size(4), b = size(5);
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, a, b));
  EXPECT_TRUE(decide(TENON_SYMBOL_LT, a, b));
  EXPECT_EQ(guards(), Strings({"s0 < s1"}));
  EXPECT_EQ(env_->guards()[0].place.text(), " (aten::view, model.py:12)");
  EXPECT_NE(env_->print().find("guard: s0 < s1 (aten::view, model.py:12)\n"), std::string::npos);
}

TEST_F(Decision, WhatWasDecided_IsNotAskedAgain) {
  const Word a = size(4), b = size(5);
  EXPECT_TRUE(decide(TENON_SYMBOL_LT, a, b));
  EXPECT_TRUE(decide(TENON_SYMBOL_LE, a, b));
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, a, b));
  EXPECT_TRUE(decide(TENON_SYMBOL_GT, mul(2, b), mul(2, a)));
  EXPECT_EQ(guards(), Strings({"s0 < s1"}));
}

TEST_F(Decision, Equality_ReplacesAVariable) {
  const Word a = size(4), b = size(4), c = size(8);
  const Word product = mul(div(b, 3), c);
  EXPECT_TRUE(decide(TENON_SYMBOL_EQ, a, b));
  EXPECT_EQ(env_->simplify(b), a);
  EXPECT_EQ(env_->simplify(product), mul(div(a, 3), c));
  EXPECT_EQ(text(product), "s2*(s0 // 3)");
  EXPECT_TRUE(decide(TENON_SYMBOL_EQ, c, mul(2, a)));
  EXPECT_EQ(env_->simplify(c), mul(2, a));
  EXPECT_EQ(guards(), Strings({"s0 == s1", "s2 == 2*s0"}));
}

TEST_F(Decision, EqualityWithANumber_Specializes) {
  const Word a = size(4);
  EXPECT_EQ(env_->specialize(mul(a, 3), nullptr), 12);
  EXPECT_EQ(env_->simplify(a), 4);
  EXPECT_EQ(env_->specialize(a, nullptr), 4);
  EXPECT_EQ(guards(), Strings({"3*s0 == 12"}));
}

TEST_F(Decision, Unbacked_IsAnErrorThatNamesItsPlace) {
  const Word u = unbacked(0, 10);
  EXPECT_TRUE(decide(TENON_SYMBOL_LE, u, 10));
  EXPECT_FALSE(decide(TENON_SYMBOL_GT, u, 10));
  EXPECT_TRUE(decide(TENON_SYMBOL_GE, add(u, 1), 1));
  const std::string message =
      error_of(TENON_ERROR_DATA_DEPENDENT, [&] { decide(TENON_SYMBOL_EQ, u, 3); });
  EXPECT_NE(message.find("aten::view: u0 == 3 must be true or false for all values"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("model.py:12"), std::string::npos) << message;
  error_of(TENON_ERROR_DATA_DEPENDENT, [&] { env_->specialize(u, nullptr); });
  EXPECT_EQ(guards(), Strings());
}

TEST_F(Decision, ShapeRules_TakeUnbackedSizesForTwoOrMore) {
  const Word u = unbacked(), a = size(4);
  EXPECT_FALSE(decide(TENON_SYMBOL_EQ, u, 1, DecisionMode::kOblivious));
  EXPECT_FALSE(decide(TENON_SYMBOL_LT, u, 2, DecisionMode::kOblivious));
  EXPECT_TRUE(decide(TENON_SYMBOL_NE, mul(u, a), 0, DecisionMode::kOblivious));
  error_of(TENON_ERROR_DATA_DEPENDENT, [&] { decide(TENON_SYMBOL_EQ, u, 1); });
  error_of(TENON_ERROR_DATA_DEPENDENT,
           [&] { decide(TENON_SYMBOL_EQ, u, a, DecisionMode::kOblivious); });
  const Word small = unbacked(0, 1), number = unbacked(-5, 5);
  error_of(TENON_ERROR_DATA_DEPENDENT,
           [&] { decide(TENON_SYMBOL_EQ, small, 1, DecisionMode::kOblivious); });
  error_of(TENON_ERROR_DATA_DEPENDENT,
           [&] { decide(TENON_SYMBOL_EQ, number, 1, DecisionMode::kOblivious); });
}

TEST_F(Decision, EqualityThatIsKnown_ReplacesUnbackedFirst) {
  const Word a = size(6), b = size(3);
  EXPECT_TRUE(decide(TENON_SYMBOL_EQ, a, mul(2, b)));
  EXPECT_EQ(env_->simplify(a), mul(2, b));
  EXPECT_EQ(env_->bounds(b).low, 2);
}

TEST_F(Decision, BoundsOfTheReplaced_HoldForWhatReplacesIt) {
  VariableOptions options;
  options.hint = 9;
  options.range = {8, 10};
  const Word a = size(9);
  const Word narrow = base::word_of(env_->new_variable(options));
  EXPECT_TRUE(decide(TENON_SYMBOL_EQ, narrow, a));
  EXPECT_EQ(env_->bounds(a), (Interval{8, 10}));
  EXPECT_TRUE(decide(TENON_SYMBOL_LT, a, 11));
  EXPECT_EQ(guards(), Strings({"s1 == s0"}));
}

TEST_F(Decision, Truths_DecideTheirParts) {
  const Word a = size(4), b = size(5);
  const Word both = env_->connect(TENON_SYMBOL_AND, env_->relate(TENON_SYMBOL_LT, a, b),
                                  env_->relate(TENON_SYMBOL_GT, a, 3));
  EXPECT_TRUE(env_->decide(*expression_of(both), nullptr));
  EXPECT_EQ(guards(), Strings({"s0 < s1", "s0 > 3"}));
  EXPECT_EQ(env_->relate(TENON_SYMBOL_GE, a, 4), 1);
  EXPECT_EQ(env_->connect(TENON_SYMBOL_NOT, both, 0) != both, true);
}

}  // namespace
}  // namespace tenon::symbol
