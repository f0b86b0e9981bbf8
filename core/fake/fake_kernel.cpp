// SPDX-License-Identifier: Apache-2.0
#include "fake/fake_kernel.h"

#include <memory>
#include <string>
#include <utility>

#include "base/check.h"
#include "dispatch/argument_check.h"
#include "dispatch/fallback.h"
#include "dispatch/kernel_guard.h"
#include "dispatch/key_tls.h"
#include "dispatch/operator_table.h"
#include "fake/fallback.h"
#include "fake/mode.h"

namespace tenon::fake {

namespace {

constexpr const char* kRegister = "tenon_library_register_fake";

// The registered kernel; the ctx of the kernel that wraps it.
struct RegisteredFake {
  tenon_kernel_fn boxed;
  void* ctx;
  tenon_deleter deleter;

  RegisteredFake(tenon_kernel_fn given_boxed, void* given_ctx, tenon_deleter given_deleter) noexcept
      : boxed(given_boxed), ctx(given_ctx), deleter(given_deleter) {}
  ~RegisteredFake() {
    if (deleter != nullptr) deleter(ctx);
  }
  RegisteredFake(const RegisteredFake&) = delete;
  RegisteredFake& operator=(const RegisteredFake&) = delete;
};

// Runs the registered kernel. For fake arguments, runs it as if the thread were in a fake mode.
tenon_status run_kernel(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const RegisteredFake& given = *static_cast<const RegisteredFake*>(ctx);
  if (!runs_fake(*stack)) return given.boxed(given.ctx, op, keys, stack);
  return dispatch::guard_kernel(stack, [&] {
    const dispatch::KeyGuard mode = dispatch::KeyGuard::include(kFake);
    const RunningFakeKernel running(*op);
    return given.boxed(given.ctx, op, keys, stack);
  });
}

bool is_fake_kernel(const dispatch::Kernel& kernel) noexcept {
  return kernel.entry.boxed == &run_kernel;
}

// Throws if the operator has a kernel that already serves fake tensors.
void check_operator(const tenon_op& op, uint32_t policy) {
  const dispatch::SnapshotGuard guard(&op);
  if (guard.get() == nullptr) return;
  const dispatch::Kernel* serving =
      dispatch::kernel_of_slot(*guard.get(), dispatch::slot_of_key(TENON_KEY_META));
  if (serving == nullptr) return;
  TENON_CHECK(serving->key != TENON_KEY_COMPOSITE_IMPLICIT_AUTOGRAD, TENON_ERROR_INVALID_ARGUMENT,
              kRegister, ": ", op.name(), " must not have a CompositeImplicitAutograd kernel, got ",
              serving->describe(), ", which serves fake tensors already");
  if (serving->key != TENON_KEY_META) return;
  TENON_CHECK(is_fake_kernel(*serving), TENON_ERROR_ALREADY_EXISTS, kRegister, ": ", op.name(),
              " must not have a kernel for Meta, got ", serving->describe(),
              ", which serves fake tensors already; remove one of them");
  TENON_CHECK(policy == TENON_REPLACE_OVERRIDE, TENON_ERROR_ALREADY_EXISTS, kRegister, ": ",
              op.name(), " must not have a fake kernel yet, got ", serving->describe());
}

dispatch::Explanation explain_kernel(const void*, tenon_key, const dispatch::Arguments*) {
  return {"it is the operator's fake kernel", true};
}

}  // namespace

dispatch::RegistrationPtr register_kernel(dispatch::Library* library, std::string_view name,
                                          dispatch::KernelPtr kernel) {
  TENON_CHECK_ARG(!kernel->is_fallthrough(), kRegister, ": ", name,
                  ": kernel must be a function, got a fallthrough");
  const std::string full_name = name.find("::") != std::string_view::npos
                                    ? std::string(name)
                                    : base::concat(library->ns.view(), "::", name);
  if (const tenon_op* op = dispatch::OperatorTable::find(full_name)) {
    check_operator(*op, kernel->policy);
  }
  tenon_entry& entry = kernel->entry;
  auto given = std::make_unique<RegisteredFake>(entry.boxed, entry.ctx, nullptr);
  given->deleter =
      std::exchange(kernel->deleter, [](void* ctx) { delete static_cast<RegisteredFake*>(ctx); });
  entry.ctx = given.release();
  entry.boxed = &run_kernel;
  entry.typed = nullptr;  // typed callers use the boxed function
  entry.signature = 0;
  return dispatch::implement(library, name, TENON_KEY_META, std::move(kernel));
}

dispatch::ExplainedKernel explained_kernel() noexcept { return {&run_kernel, &explain_kernel}; }

}  // namespace tenon::fake
