// SPDX-License-Identifier: Apache-2.0
#include "autograd/callback_formula.h"

#include "autograd/node.h"
#include "base/check.h"
#include "base/error.h"

namespace tenon::autograd {

CallbackFormula::CallbackFormula(std::string name, tenon_backward_fn backward,
                                 std::string_view saves, void* ctx, tenon_deleter deleter)
    : backward_(backward), ctx_(ctx), deleter_(deleter) {
  set_name(std::move(name));
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
  if (deleter_ != nullptr) deleter_(ctx_);
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
  call->ctx = ctx_;
  const tenon_status status = backward_(call);
  if (status == TENON_OK) return;
  throw Error(base::adopt_current_error(name(), "gradient formula", status, true));
}

}  // namespace tenon::autograd
