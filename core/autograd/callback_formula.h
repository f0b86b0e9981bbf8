// SPDX-License-Identifier: Apache-2.0
// CallbackFormula: a formula that is a function of some language, with the names of what it saves.
#pragma once

#include <string>
#include <vector>

#include "autograd/formula.h"

namespace tenon::autograd {

class CallbackFormula final : public Formula {
 public:
  /// `saves` are names apart by blanks. Takes over ctx.
  CallbackFormula(std::string name, tenon_backward_fn backward, std::string_view saves, void* ctx,
                  tenon_deleter deleter);
  ~CallbackFormula() override;
  void run(const Plan& plan, tenon_backward_call* call) const override;

 private:
  std::unique_ptr<Plan> make_plan(const schema::Schema& schema) const override;

  const tenon_backward_fn backward_;
  std::vector<std::string> saves_;
  void* const ctx_;
  const tenon_deleter deleter_;
};

}  // namespace tenon::autograd
