// SPDX-License-Identifier: Apache-2.0
// Normal forms: equal expressions are equal words.
#include "symbol_testing.h"

namespace tenon::symbol {
namespace {

using Expression_ = testing::SymbolTest;

TEST_F(Expression_, EqualOnes_AreOneWord) {
  const Word a = size(4), b = size(5);
  EXPECT_EQ(add(a, b), add(b, a));
  EXPECT_EQ(mul(add(a, 1), add(a, -1)), sub(mul(a, a), 1));
  EXPECT_EQ(sub(add(a, b), b), a);
  EXPECT_EQ(sub(a, a), 0);
  EXPECT_EQ(mul(a, 0), 0);
  EXPECT_NE(a, b);
}

TEST_F(Expression_, Text_IsPythons) {
  const Word a = size(4), b = size(5), u = unbacked();
  EXPECT_EQ(text(a), "s0");
  EXPECT_EQ(text(u), "u0");
  EXPECT_EQ(text(add(mul(a, b), 1)), "s0*s1 + 1");
  EXPECT_EQ(text(sub(3, mul(2, a))), "-2*s0 + 3");
  EXPECT_EQ(text(mul(div(a, 3), b)), "s1*(s0 // 3)");
  EXPECT_EQ(text(max(a, u)), "max(s0, u0)");
  EXPECT_EQ(text(mod(add(a, b), 2)), "(s0 + s1) % 2");
}

TEST_F(Expression_, DivisionThatIsExact_Cancels) {
  const Word a = size(4), b = size(5), c = size(6);
  EXPECT_EQ(div(mul(mul(a, b), c), a), mul(b, c));
  EXPECT_EQ(div(mul(add(a, b), c), add(a, b)), c);
  EXPECT_EQ(div(mul(6, a), 3), mul(2, a));
  EXPECT_EQ(mod(mul(6, a), 3), 0);
  EXPECT_EQ(div(sub(mul(a, a), 1), add(a, 1)), sub(a, 1));
}

TEST_F(Expression_, DivisionByANumber_TakesOutWhatItDivides) {
  const Word a = size(4), b = size(5);
  EXPECT_EQ(text(div(add(add(mul(4, a), b), 7), 2)), "2*s0 + (s1 + 1) // 2 + 3");
  EXPECT_EQ(mod(add(mul(4, a), 7), 2), 1);
  EXPECT_EQ(mod(add(mul(4, a), -1), 4), 3);
}

TEST_F(Expression_, WhatBoundsTell_IsNoFunction) {
  const Word a = size(4), u = unbacked(0, 10);
  EXPECT_EQ(max(a, 1), a);
  EXPECT_EQ(min(a, 2), 2);
  EXPECT_EQ(div(u, 11), 0);
  EXPECT_EQ(mod(u, 11), u);
  EXPECT_EQ(text(max(u, 1)), "max(u0, 1)");
}

TEST_F(Expression_, TooLarge_BecomesAnAtom) {
  Word sum = 0;
  for (int k = 0; k < 100; ++k) sum = add(sum, size(k + 2));
  EXPECT_TRUE(base::is_symbol(sum));
  int64_t expected = 0;
  for (int k = 0; k < 100; ++k) expected += k + 2;
  EXPECT_EQ(expression_of(sum)->hint, expected);
}

TEST_F(Expression_, NumbersBeyond63Bits_AreRefused) {
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { add(INT64_MAX, 1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { sub(-(int64_t{1} << 62), 1); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { div(size(2), 0); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { mod(3, 0); });
}

TEST_F(Expression_, NestedTooDeep_IsRefused) {
  Word word = size(1000), other = size(7);
  const std::string message = error_of(TENON_ERROR_RECURSION, [&] {
    for (int k = 0; k < 1000; ++k) word = div(add(word, k), other);
  });
  EXPECT_NE(message.find("256"), std::string::npos);
}

TEST_F(Expression_, Variable_IsCheckedWhenMade) {
  VariableOptions options;
  options.name = "batch";
  env_->new_variable(options);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { env_->new_variable(options); });
  options.name = "other";
  options.range = {3, 2};
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { env_->new_variable(options); });
  options.range = {3, 4};
  options.hint = 5;
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { env_->new_variable(options); });
  options.range = {};
  options.hint = base::kLeastNumber - 1;  // has the bits of a symbol
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { env_->new_variable(options); });
}

TEST_F(Expression_, CoefficientBelowAllWords_IsAFactor) {
  const Word a = size(4);
  const Word product = mul(mul(a, base::kLeastNumber), 2);
  EXPECT_EQ(text(mul(a, base::kLeastNumber)), "-4611686018427387904*s0");
  EXPECT_EQ(text(add(product, 1)), "(-4611686018427387904*s0) * 2 + 1");
  // An expression that is built again after a guard treats plain numbers as words.
  env_->decide(TENON_SYMBOL_EQ, a, 4, DecisionMode::kHints, nullptr);
  error_of(TENON_ERROR_INVALID_ARGUMENT, [&] { env_->specialize(product, nullptr); });
}

}  // namespace
}  // namespace tenon::symbol
