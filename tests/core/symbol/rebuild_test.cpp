// SPDX-License-Identifier: Apache-2.0
// Rebuilds symbols in another representation: here as text with brackets around each function.
#include "base/symbol_function.h"
#include "symbol_testing.h"

namespace tenon::symbol {
namespace {

class RebuildTest : public testing::SymbolTest, private base::SymbolBuilder {
 protected:
  std::string rebuilt(Word word) { return text_of(env_->rebuild(word, *this)); }

  /// Returns "relation @ op, file:line" for each guard whose variables are all in `known`.
  std::vector<std::string> rebuilt_guards(const std::vector<Word>& known) {
    std::vector<std::string> texts;
    env_->rebuild_guards(
        *this,
        [&](int64_t word) { return std::find(known.begin(), known.end(), word) != known.end(); },
        [&](base::SymbolGuard guard) {
          texts.push_back(text_of(guard.a) + base::function_text(guard.function) +
                          text_of(guard.b) + " @ " + guard.op + ", " + guard.file + ":" +
                          std::to_string(guard.line));
        });
    return texts;
  }

  std::vector<base::SymbolVariable> variables_;

 private:
  tenon_value variable(const base::SymbolVariable& variable) override {
    variables_.push_back(variable);
    return keep(std::string(variable.name));
  }
  tenon_value apply(uint32_t function, const tenon_value& a, const tenon_value& b) override {
    return keep("(" + text_of(a) + " " + base::function_text(function) + " " + text_of(b) + ")");
  }

  tenon_value keep(std::string text) {
    texts_.push_back(std::move(text));
    return tenon_value_of_number(TENON_TAG_REF, static_cast<int64_t>(texts_.size() - 1));
  }
  std::string text_of(const tenon_value& value) const {
    return value.tag == TENON_TAG_REF ? texts_[static_cast<size_t>(value.as.i)]
                                      : std::to_string(value.as.i);
  }

  std::vector<std::string> texts_;
};

TEST_F(RebuildTest, Variable_TellsNameBoundsAndHint) {
  const Word s0 = size(4), u0 = unbacked(0, 9);
  EXPECT_EQ(rebuilt(s0), "s0");
  EXPECT_EQ(rebuilt(u0), "u0");
  ASSERT_EQ(variables_.size(), 2u);
  EXPECT_EQ(variables_[0].word, s0);
  EXPECT_EQ(variables_[0].low, 2);
  EXPECT_EQ(variables_[0].high, kNoHigh);
  EXPECT_EQ(variables_[0].hint.as.i, 4);
  EXPECT_EQ(variables_[1].high, 9);
  EXPECT_EQ(variables_[1].hint.tag, TENON_TAG_NONE);
}

TEST_F(RebuildTest, Sum_IsOfProducts) {
  const Word s0 = size(4), s1 = size(5);
  EXPECT_EQ(rebuilt(add(mul(mul(3, s0), s1), 1)), "(((3 * s0) * s1) + 1)");
  EXPECT_EQ(rebuilt(sub(s0, mul(2, s1))), "(s0 - (2 * s1))");
  EXPECT_EQ(rebuilt(sub(mul(s0, s0), 7)), "((s0 * s0) - 7)");
  EXPECT_EQ(rebuilt(sub(0, s0)), "(-1 * s0)");
}

TEST_F(RebuildTest, Functions_KeepTheirOperands) {
  const Word s0 = size(9), s1 = size(5);
  EXPECT_EQ(rebuilt(div(add(s0, 1), 3)), "((s0 + 1) // 3)");
  EXPECT_EQ(rebuilt(max(s0, mul(2, s1))), "(s0 max (2 * s1))");
}

TEST_F(RebuildTest, ReplacedVariable_IsWhatReplacedIt) {
  const Word s0 = size(4), s1 = size(4), s2 = size(3);
  decide(TENON_SYMBOL_EQ, s0, s1);
  decide(TENON_SYMBOL_EQ, s2, 3);
  EXPECT_EQ(rebuilt(add(s0, s1)), "(2 * s0)");
  EXPECT_EQ(rebuilt(add(s1, s2)), "(s0 + 3)");
}

TEST_F(RebuildTest, Guards_OfKnownVariablesAreToldAsTheyWereAsked) {
  const Word s0 = size(4), s1 = size(4), s2 = size(9);
  decide(TENON_SYMBOL_EQ, s0, s1);
  decide(TENON_SYMBOL_LT, s2, 5);
  EXPECT_EQ(rebuilt_guards({s0, s1}),
            (std::vector<std::string>{"s0==s1 @ aten::view, model.py:12"}));
  EXPECT_EQ(rebuilt_guards({s0, s2}),
            (std::vector<std::string>{"s2>=5 @ aten::view, model.py:12"}));
}

}  // namespace
}  // namespace tenon::symbol
