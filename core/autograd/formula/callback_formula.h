// SPDX-License-Identifier: Apache-2.0
// CallbackFormula: a formula that is functions of some language, with the names of what it saves.
#pragma once

#include <string>
#include <vector>

#include "autograd/formula/formula.h"

namespace tenon::autograd {

/// What a language gives for a formula, or for a function with a gradient of its own.
struct Callbacks {
  tenon_backward_fn backward = nullptr;
  tenon_setup_fn setup = nullptr;
  tenon_jvp_fn jvp = nullptr;
  void* ctx = nullptr;
  tenon_deleter deleter = nullptr;
  uint32_t language = 0;
  bool once_differentiable = false;
  bool saved_on_demand = false;
  bool one_level = false;  // calls are of the innermost layer alone
};

class CallbackFormula final : public Formula {
 public:
  /// `saves` are names apart by blanks. Takes over ctx.
  CallbackFormula(std::string name, const Callbacks& callbacks, std::string_view saves);
  ~CallbackFormula() override;
  const Callbacks& callbacks() const noexcept { return callbacks_; }
  void run(const Plan& plan, tenon_backward_call* call) const override;
  const CallbackFormula* with_jvp() const noexcept override {
    return callbacks_.jvp != nullptr ? this : nullptr;
  }
  base::IntrusivePtr<tenon_function_context> set_up(
      const tenon_stack& call, std::span<const FunctionInput> inputs) const override;

 private:
  std::unique_ptr<Plan> make_plan(const schema::Schema& schema) const override;

  const Callbacks callbacks_;
  std::vector<std::string> saves_;
};

}  // namespace tenon::autograd
