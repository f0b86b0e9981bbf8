// SPDX-License-Identifier: Apache-2.0
// CallbackFormula: a gradient formula whose functions are callbacks of some language.
#pragma once

#include <string>
#include <vector>

#include "autograd/formula/formula.h"

namespace tenon::autograd {

/// The callbacks of a formula, or of a function with a custom gradient.
struct Callbacks {
  tenon_backward_fn backward = nullptr;
  tenon_setup_fn setup = nullptr;
  tenon_jvp_fn jvp = nullptr;
  void* ctx = nullptr;
  tenon_deleter deleter = nullptr;
  uint32_t language = 0;
  bool once_differentiable = false;
  bool saved_on_demand = false;
  bool one_level = false;  // calls are recorded at the innermost layer only
};

class CallbackFormula final : public Formula {
 public:
  /// `saves` are the names of the saved arguments and results, separated by blanks. Takes ownership
  /// of ctx.
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
