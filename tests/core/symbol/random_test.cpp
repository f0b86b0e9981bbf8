// SPDX-License-Identifier: Apache-2.0
// Random expressions must evaluate to what their functions return for numbers in place of the
// variables, and a decision must hold for all numbers that satisfy the guards.
#include <random>

#include "symbol/function.h"
#include "symbol_testing.h"

namespace tenon::symbol {
namespace {

class Random : public testing::SymbolTest {
 protected:
  static constexpr int kVariables = 4;
  static constexpr uint32_t kFunctions[] = {
      TENON_SYMBOL_ADD, TENON_SYMBOL_SUB, TENON_SYMBOL_MUL, TENON_SYMBOL_FLOORDIV,
      TENON_SYMBOL_MOD, TENON_SYMBOL_MAX, TENON_SYMBOL_MIN};
  // A step: a function of two earlier values, by index.
  struct Step {
    uint32_t function;
    size_t a, b;
  };
  struct Program {
    std::vector<int64_t> constants;
    std::vector<Step> steps;
  };

  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  Program program() {
    Program made;
    for (int k = 0; k < 3; ++k) made.constants.push_back(number(-4, 6));
    size_t count = kVariables + made.constants.size();
    for (int k = 0; k < 8; ++k, ++count) {
      made.steps.push_back({kFunctions[number(0, std::size(kFunctions) - 1)],
                            static_cast<size_t>(number(0, static_cast<int64_t>(count) - 1)),
                            static_cast<size_t>(number(0, static_cast<int64_t>(count) - 1))});
    }
    return made;
  }

  // Computes all steps with plain numbers; stops early at a division by 0 or a large number.
  static std::vector<int64_t> by_numbers(const Program& program, std::vector<int64_t> values) {
    values.insert(values.end(), program.constants.begin(), program.constants.end());
    for (const Step& step : program.steps) {
      const auto value = calculate(step.function, values[step.a], values[step.b]);
      if (!value || *value > 1 << 30 || *value < -(1 << 30)) break;
      values.push_back(*value);
    }
    return values;
  }

  std::mt19937_64 random_{20240607};
};

TEST_F(Random, Expressions_AreWhatTheirFunctionsGive) {
  int compared = 0;
  for (int round = 0; round < 400; ++round) {
    env_ = ShapeEnvPtr::adopt(new Env);
    std::vector<int64_t> hints;
    std::vector<Word> words, variables;
    for (int k = 0; k < kVariables; ++k) {
      hints.push_back(number(2, 9));
      variables.push_back(size(hints.back()));
    }
    const Program steps = program();
    const auto expected = by_numbers(steps, hints);
    words = variables;
    words.insert(words.end(), steps.constants.begin(), steps.constants.end());
    for (size_t k = words.size(); k < expected.size(); ++k) {
      const Step& step = steps.steps[k - kVariables - steps.constants.size()];
      words.push_back(env_->apply(step.function, words[step.a], words[step.b]));
      if (number(0, 2) == 0) {
        const size_t other = static_cast<size_t>(number(0, static_cast<int64_t>(k) - 1));
        const uint32_t relation = TENON_SYMBOL_EQ + static_cast<uint32_t>(number(0, 5));
        EXPECT_EQ(decide(relation, words[k], words[other]),
                  holds(relation, expected[k], expected[other]))
            << text(words[k]) << " and " << text(words[other]) << "\n"
            << env_->print();
      }
    }
    const auto agrees = [&](const std::vector<int64_t>& numbers) {
      std::vector<Binding> bindings;
      for (int k = 0; k < kVariables; ++k) bindings.push_back(bind(variables[k], numbers[k]));
      const auto values = by_numbers(steps, numbers);
      if (values.size() < words.size() || !env_->first_failure(bindings).empty()) return;
      for (size_t k = 0; k < words.size(); ++k) {
        EXPECT_EQ(env_->evaluate(words[k], bindings), values[k]) << text(words[k]);
        const Word simpler = base::simplified(words[k]);
        EXPECT_EQ(env_->evaluate(simpler, bindings), values[k]) << text(simpler) << "\n"
                                                                << env_->print();
        if (base::is_symbol(simpler)) {
          EXPECT_TRUE(env_->bounds(simpler).holds(values[k])) << text(simpler) << "\n"
                                                              << env_->print();
        }
        ++compared;
      }
    };
    agrees(hints);
    for (int other = 0; other < 20; ++other) {
      agrees({number(2, 9), number(2, 9), number(2, 9), number(2, 9)});
    }
  }
  EXPECT_GT(compared, 10000);
}

}  // namespace
}  // namespace tenon::symbol
