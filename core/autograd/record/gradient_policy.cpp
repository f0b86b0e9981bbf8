// SPDX-License-Identifier: Apache-2.0
#include "autograd/record/gradient_policy.h"

#include <algorithm>

#include "autograd/formula/formula.h"
#include "autograd/record/record.h"
#include "autograd/tensor_state.h"
#include "base/check.h"
#include "base/warning.h"
#include "dispatch/call_path.h"
#include "dispatch/kernel.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "schema/schema.h"

namespace tenon::autograd {

namespace {

// The formula of operators that have none.
class NotImplementedFormula final : public Formula {
 public:
  explicit NotImplementedFormula(uint32_t policy) : policy_(policy) { set_name("NotImplemented"); }

  void run(const Plan& plan, tenon_backward_call*) const override {
    const std::string name(plan.schema->name().full());
    TENON_CHECK(policy_ == TENON_GRADIENT_WARN, TENON_ERROR_NOT_SUPPORTED, name,
                ": operator must have a gradient formula to be differentiated, got none; register "
                "one with tenon_library_register_autograd");
    const std::string text =
        name +
        ": no gradient formula is registered for the operator, but a backward pass goes through "
        "it; gradients are not propagated past it, which may be silently incorrect";
    const tenon_status status = base::warn("UserWarning", text.c_str(), name.c_str());
    if (status == TENON_OK) return;
    throw Error(base::adopt_current_error(name.c_str(), "warning", status, true));
  }
  bool is_derivable() const noexcept override { return false; }

 private:
  std::unique_ptr<Plan> make_plan(const schema::Schema& schema) const override {
    auto plan = std::make_unique<Plan>();
    plan->inputs = inputs_of(schema, Others::kIgnored);
    return plan;
  }

  const uint32_t policy_;
};

// Redispatches below Autograd with Autograd excluded, so that neither the call nor the operators
// that its kernel calls are recorded.
tenon_status record_nothing(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    const auto guard = dispatch::KeyGuard::exclude(kAutograd);
    return dispatch::redispatch(op, keys & (kAutograd - 1), stack);
  });
}

}  // namespace

tenon_status record_unknown(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  return dispatch::guard_kernel(stack, [&] {
    // One formula per call: its plan is for this operator, and the node owns it.
    const auto policy = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(ctx));
    const auto formula =
        base::IntrusivePtr<const Formula>::adopt(new NotImplementedFormula(policy));
    return record_with(formula->plan_for(*op, *stack), op, keys, stack);
  });
}

int32_t concerns_tensors(void*, const tenon_schema* schema) {
  const auto holds = [](const schema::Argument& one) { return may_hold_tensors(*one.type); };
  const bool takes = std::ranges::any_of(schema->arguments(), holds) || schema->is_vararg();
  const bool gives = std::ranges::any_of(schema->returns(), holds) || schema->is_mutable();
  return takes && gives ? TENON_SELECT_KERNEL : TENON_SELECT_FALLTHROUGH;
}

namespace {

dispatch::KernelPtr policy_kernel(uint32_t policy, uint32_t flags) {
  static constexpr const char* kNames[] = {"backward fails", "backward warns",
                                           "not differentiable"};
  TENON_CHECK_ARG(policy <= TENON_GRADIENT_STOP,
                  "tenon_library_set_gradient_policy: policy must be a TENON_GRADIENT_* number, "
                  "got ",
                  policy);
  tenon_kernel description{};
  description.struct_size = sizeof description;
  description.language = TENON_LANGUAGE_CPP;
  description.name = kNames[policy];
  description.flags = flags;
  description.boxed = policy == TENON_GRADIENT_STOP ? &record_nothing : &record_unknown;
  description.ctx = reinterpret_cast<void*>(static_cast<uintptr_t>(policy));
  return dispatch::make_kernel(description);
}

}  // namespace

dispatch::RegistrationPtr set_gradient_policy(dispatch::Library* library, std::string_view name,
                                              uint32_t policy) {
  if (name == "_") {
    return dispatch::add_fallback(library, TENON_KEY_AUTOGRAD, policy_kernel(policy, 0),
                                  &concerns_tensors);
  }
  return dispatch::implement(library, name, TENON_KEY_AUTOGRAD,
                             policy_kernel(policy, TENON_KERNEL_WHEN_TRACKED));
}

}  // namespace tenon::autograd
