// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that newer ones replaced, by the registration of the newer kernel.
#include "base/error.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/explicit_keys.h"
#include "dispatch/key_set.h"
#include "dispatch/library.h"

namespace tenon::dispatch {

namespace {

tenon_status fail_call(base::ErrorPtr error, tenon_stack* stack) noexcept {
  const tenon_status status = error->code();
  base::ErrorPtr::adopt(stack->error);
  stack->error = error.detach();
  return status;
}

template <class... Parts>
tenon_status fail_call(tenon_stack* stack, tenon_status status, const Parts&... parts) {
  return fail_call(
      base::ErrorPtr::adopt(base::ErrorObject::make(status, {}, base::concat(parts...))), stack);
}

}  // namespace

tenon_status call_older(const Registration& registration, tenon_keyset keys, tenon_stack* stack) {
  constexpr const char* kName = "tenon_registration_call_older";
  if (registration.kind != Registration::Kind::kKernel) {
    return fail_call(stack, TENON_ERROR_STATE, kName,
                     ": registration must be of a kernel, got another kind");
  }
  const tenon_op* op = registration.op;
  const base::EnteredCall entered = base::enter(op);
  if (entered.place == nullptr) return fail_call(enter_error(*op, entered), stack);
  // A kernel that is removed from here on is not freed before the pick ends, but removal clears its
  // link `older`. So the link is read between two checks of `removed`: if the second one finds it
  // unset, the link was valid when it was read.
  const Kernel* older = nullptr;
  if (!registration.removed.load(std::memory_order_acquire)) {
    older = registration.kernel->older.load(std::memory_order_acquire);
  }
  if (registration.removed.load(std::memory_order_acquire)) {
    base::leave(entered.thread, entered.place);
    return fail_call(stack, TENON_ERROR_STATE, op->name(),
                     ": registration must not have been removed, got a removed one");
  }
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  if (older == nullptr || older->is_fallthrough()) {
    const tenon_key key = registration.kernel->key;
    base::leave(entered.thread, entered.place);
    if (older != nullptr) return redispatch(op, keys & keys_below(highest_key(keys)), stack);
    return fail_call(stack, TENON_ERROR_NO_KERNEL, op->name(), ": ", key_name(key),
                     " must have a kernel that was registered before this one, got none");
  }
  if (!counts_fit(*snapshot, *stack)) {
    base::ErrorPtr error = stack_error(*op, *snapshot, *stack);
    base::leave(entered.thread, entered.place);
    return fail_call(std::move(error), stack);
  }
  if (is_runtime_key(older->key)) {
    // The caller may have replaced the arguments with other tensors.
    base::ErrorPtr error =
        unreadable_argument(*op, *snapshot, keyset_of(older->key), stack->args, stack->nargs);
    if (error) {
      base::leave(entered.thread, entered.place);
      return fail_call(std::move(error), stack);
    }
  }
  return run_picked(op, {older, keys}, stack, entered.thread, entered.place,
                    BeginKind::kRedispatch);
}

}  // namespace tenon::dispatch
