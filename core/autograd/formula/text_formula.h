// SPDX-License-Identifier: Apache-2.0
// TextFormula: a formula whose gradients are expressions, see gradient_text.h.
#pragma once

#include <string>

#include "autograd/formula/formula.h"

namespace tenon::autograd {

class TextFormula final : public Formula {
 public:
  /// Throws TENON_ERROR_PARSE.
  TextFormula(std::string name, std::string text);
  void run(const Plan& plan, tenon_backward_call* call) const override;
  bool records_all() const noexcept override { return true; }

 private:
  std::unique_ptr<Plan> make_plan(const schema::Schema& schema) const override;
  const std::string text_;
};

}  // namespace tenon::autograd
