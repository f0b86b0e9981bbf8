// SPDX-License-Identifier: Apache-2.0
#include "autograd/formula/callback_formula.h"

#include "autograd/formula/function_context.h"
#include "autograd/node/node.h"
#include "autograd/record/grad_mode_guard.h"
#include "base/check.h"
#include "base/error.h"

namespace tenon::autograd {

CallbackFormula::CallbackFormula(std::string name, const Callbacks& callbacks,
                                 std::string_view saves)
    : callbacks_(callbacks) {
  set_name(std::move(name));
  if (callbacks.setup != nullptr) set_looks_at_calls();
  while (true) {
    const size_t begin = saves.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    saves.remove_prefix(begin);
    const size_t end = saves.find(' ');
    saves_.emplace_back(saves.substr(0, end));
    saves.remove_prefix(saves_.back().size());
  }
}

CallbackFormula::~CallbackFormula() {
  if (callbacks_.deleter != nullptr) callbacks_.deleter(callbacks_.ctx);
}

std::unique_ptr<Plan> CallbackFormula::make_plan(const schema::Schema& schema) const {
  auto plan = std::make_unique<Plan>();
  plan->inputs = inputs_of(schema);
  for (const std::string& name : saves_) {
    Save save = find_save(this->name(), schema, name);
    save.needed_by = ~uint64_t{0};
    plan->saves.push_back(save);
  }
  return plan;
}

void CallbackFormula::run(const Plan&, tenon_backward_call* call) const {
  call->ctx = callbacks_.ctx;
  const tenon_status status = callbacks_.backward(call);
  if (status == TENON_OK) return;
  throw Error(base::adopt_current_error(name(), "gradient formula", status, true));
}

base::IntrusivePtr<tenon_function_context> CallbackFormula::set_up(
    const tenon_stack& call, std::span<const FunctionInput> inputs) const {
  auto context = tenon_function_context::make(*this, {inputs.begin(), inputs.end()});
  const GradModeGuard off(false);
  const tenon_status status = callbacks_.setup(callbacks_.ctx, context.get(), &call);
  if (status == TENON_OK) return context;
  throw Error(base::adopt_current_error(name(), "setup", status, true));
}

}  // namespace tenon::autograd
