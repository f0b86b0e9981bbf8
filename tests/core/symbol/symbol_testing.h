// SPDX-License-Identifier: Apache-2.0
// Shared parts of the symbol tests: an environment with a few sizes, and words as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "symbol/shape_env.h"
#include "tenon/symbol.h"

namespace tenon::symbol::testing {

class SymbolTest : public ::testing::Test {
 protected:
  SymbolTest() : env_(ShapeEnvPtr::adopt(new Env)) {}

  /// Makes a size of 2 or more with this hint.
  Word size(int64_t hint) {
    VariableOptions options;
    options.hint = hint;
    options.range.low = 2;
    return base::word_of(env_->new_variable(options));
  }
  /// Makes a size without a hint.
  Word unbacked(int64_t min = 0, int64_t max = kNoHigh) {
    VariableOptions options;
    options.range = {min, max};
    return base::word_of(env_->new_variable(options));
  }
  Word add(Word a, Word b) { return env_->apply(TENON_SYMBOL_ADD, a, b); }
  Word sub(Word a, Word b) { return env_->apply(TENON_SYMBOL_SUB, a, b); }
  Word mul(Word a, Word b) { return env_->apply(TENON_SYMBOL_MUL, a, b); }
  Word div(Word a, Word b) { return env_->apply(TENON_SYMBOL_FLOORDIV, a, b); }
  Word mod(Word a, Word b) { return env_->apply(TENON_SYMBOL_MOD, a, b); }
  Word max(Word a, Word b) { return env_->apply(TENON_SYMBOL_MAX, a, b); }
  Word min(Word a, Word b) { return env_->apply(TENON_SYMBOL_MIN, a, b); }
  bool decide(uint32_t relation, Word a, Word b, DecisionMode mode = DecisionMode::kHints) {
    const GuardLocation place{"model.py", 12, "aten::view", ""};
    return env_->decide(relation, a, b, mode, &place);
  }
  std::string text(Word word) {
    if (!base::is_symbol(word)) return std::to_string(word);
    std::string text;
    env_->append_text(*base::symbol_of(word), text);
    return text;
  }
  std::vector<std::string> guards() {
    std::vector<std::string> texts;
    for (const Guard& guard : env_->guards()) texts.push_back(env_->guard_text(guard));
    return texts;
  }
  static Binding bind(Word variable, int64_t number) { return {expression_of(variable), number}; }

  template <class Body>
  static std::string error_of(tenon_status code, Body&& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }

  struct Env final : ShapeEnv {};
  ShapeEnvPtr env_;
};

}  // namespace tenon::symbol::testing
