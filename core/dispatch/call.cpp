// SPDX-License-Identifier: Apache-2.0
// The slow path of a call: first call of a thread, arguments of any types, profiles, failures.
#include "dispatch/argument_check.h"
#include "dispatch/built_in.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/carry_results.h"
#include "dispatch/explicit_keys.h"
#include "dispatch/fallback.h"
#include "dispatch/profile.h"
#include "dispatch/profile_listener.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

using base::ErrorPtr;

// Ends a failed call: stores the error where the caller looks for it.
tenon_status fail_call(ErrorPtr error, tenon_stack* stack, ErrorTarget home) noexcept {
  const tenon_status status = error->code();
  if (home == ErrorTarget::kThreadSlot) {
    base::set_current_error(std::move(error));
    return status;
  }
  ErrorPtr::adopt(stack->error);
  stack->error = error.detach();
  return status;
}

// Adds a backend to the keys of a call if the built-in BackendSelect fallback would only choose one
// and call again.
[[gnu::always_inline]] inline tenon_keyset with_backend(const Snapshot& snapshot, tenon_keyset keys,
                                                        const tenon_value* args,
                                                        uint32_t nargs) noexcept {
  if ((snapshot.flags & kSelectsBackend) == 0) [[likely]] {
    return keys;
  }
  return choose_backend(keys, args, (snapshot.traits & kHasDevice) != 0 ? nargs : 0);
}

void profile_pick(const tenon_op* op, const Pick& picked, BeginKind kind,
                  const ThreadRecord* thread, const RunningPlace* place) {
  if (thread->slow_requests == 0) [[likely]] {
    return;
  }
  const bool redispatch = kind == BeginKind::kRedispatch;
  if ((thread->slow_requests & base::kSlowProfile) != 0) {
    notify_profile_listener(op, picked.keys, *picked.kernel, redispatch,
                            static_cast<int32_t>(place - thread->running));
  }
  if (is_recorded(*thread)) record_begin(place, op, picked.keys, *picked.kernel, redispatch);
}

// Computes the keys of a call whose arguments carry `carried`.
tenon_keyset keys_of_call(const Snapshot& snapshot, const ThreadRecord& thread,
                          tenon_keyset carried, const tenon_value* args, uint32_t nargs) noexcept {
  const tenon_keyset keys =
      without_untracked_autograd(snapshot, thread, call_keys(snapshot, thread, carried),
                                 [&] { return any_tracked(snapshot, args); });
  return with_backend(snapshot, keys, args, nargs);
}

// Returns the entry that the caller of the frame invokes: the kernel's, or a profile's stand-in.
const tenon_entry* begin_profiled(const tenon_op* op, const Pick& picked, ThreadRecord* thread,
                                  RunningPlace* place, tenon_frame* frame) noexcept {
  const tenon_entry* entry = fill_frame(op, picked.kernel, picked.keys, thread, place, frame);
  if (!is_recorded(*thread)) return entry;
  frame->state = kHasStandIn;
  frame->entry = stand_in_entry(place, *picked.kernel, frame);
  return frame->entry;
}

[[gnu::cold]] tenon_status run_recorded(const tenon_op* op, const Pick& picked, tenon_stack* stack,
                                        RunningPlace* place, decltype(finish_call)* finish) {
  SpanEnd end(place);
  return end.returned(run_kernel(op, picked.kernel, picked.keys, stack, place, finish));
}

// Returns the error of a call without a kernel; empty if one has been loaded or registered since.
ErrorPtr missing_kernel(const tenon_op* op, tenon_keyset keys) {
  ErrorPtr cause;
  if (layers().loader.for_kernel(*op, highest_key(keys), &cause)) return {};
  return missing_kernel_error(*op, keys, std::move(cause));
}

// Leaves a call that found no kernel; calls again if a plugin was loaded that may have one.
[[gnu::cold]] tenon_status run_missing(const tenon_op* op, tenon_keyset keys, tenon_keyset missing,
                                       tenon_stack* stack, ThreadRecord* thread,
                                       RunningPlace* place, BeginKind kind) {
  base::leave(thread, place);
  ErrorPtr error = missing_kernel(op, missing);
  if (kind == BeginKind::kCall) {
    return error ? fail_call(std::move(error), stack, ErrorTarget::kThreadSlot) : call(op, stack);
  }
  return error ? fail_call(std::move(error), stack, ErrorTarget::kStack)
               : redispatch(op, keys, stack);
}

// Selects and runs the kernel of a call that has been entered.
tenon_status run(const tenon_op* op, tenon_keyset keys, tenon_stack* stack, ThreadRecord* thread,
                 RunningPlace* place, const Snapshot* snapshot, BeginKind kind) {
  const Pick picked = pick(*snapshot, keys);
  if (picked.kernel == nullptr) [[unlikely]] {
    return run_missing(op, keys, picked.keys, stack, thread, place, kind);
  }
  return run_picked(op, picked, stack, thread, place, kind);
}

// Returns true if an argument overrides operators and the call would skip the Override key.
bool loses_override(tenon_keyset carried, tenon_keyset keys) noexcept {
  return (carried & ~keys & kOverrideBit) != 0;
}

// Dispatches a call whose arguments carry the keys `carried`.
tenon_status run_call(const tenon_op* op, tenon_keyset carried, tenon_stack* stack,
                      ThreadRecord* thread, RunningPlace* place, const Snapshot* snapshot) {
  const tenon_keyset keys = keys_of_call(*snapshot, *thread, carried, stack->args, stack->nargs);
  if (loses_override(carried, keys)) [[unlikely]] {
    base::leave(thread, place);
    return fail_call(override_closed_error(*op), stack, ErrorTarget::kThreadSlot);
  }
  return run(op, keys, stack, thread, place, snapshot, BeginKind::kCall);
}

// Returns the error of a failed kernel: its stack's, otherwise what adopt_slot_error() finds.
ErrorPtr adopt_error(const tenon_op* op, tenon_stack* stack, const RunningPlace* place,
                     tenon_status status) noexcept {
  if (stack->error != nullptr) {
    return ErrorPtr::adopt(std::exchange(stack->error, nullptr));
  }
  return adopt_slot_error(*op, place, status);
}

// Checks the results without the schema. Fills in a written argument that is returned.
[[gnu::always_inline]] inline bool results_good(const tenon_op& op, tenon_stack* stack) noexcept {
  const uint64_t word = op.results.load(std::memory_order_relaxed);
  if (word >> 32 != stack->nrets) return false;
  if ((word & 0xffff) != kWrittenResult) return results_match(op, *stack);
  const auto source = static_cast<uint32_t>(word) >> 16;
  if (source >= stack->nargs || stack->args[source].tag != TENON_TAG_TENSOR) return false;
  tenon_value& ret = stack->rets[0];
  tenon_tensor* tensor = stack->args[source].as.tensor;
  if (ret.tag == TENON_TAG_NONE) {
    tensor->retain();
    ret.tag = TENON_TAG_TENSOR;
    ret.flags = TENON_VALUE_OWNED;
    ret.as.tensor = tensor;
    return true;
  }
  return ret.tag == TENON_TAG_TENSOR && ret.flags == TENON_VALUE_OWNED && ret.as.tensor == tensor;
}

// Checks what a kernel left: returns the error, with the results cleared, or nothing.
ErrorPtr check_outcome(const tenon_op* op, tenon_stack* stack, const RunningPlace* place,
                       tenon_status status) noexcept {
  const Kernel& kernel = *running_kernel(place);
  ErrorPtr error;
  if (status == TENON_OK) {
    // The kernel succeeded: an error that it left in the stack has been handled.
    ErrorPtr::adopt(std::exchange(stack->error, nullptr));
    error = may_return_anything(kernel)
                ? carried_results_error(*op, stack)
                : results_error(*op, stack->args, stack->nargs, stack->rets, stack->nrets);
    if (!error) return error;
  } else {
    error = adopt_error(op, stack, place, status);
    add_kernel_frame(error.get(), *op, kernel);
  }
  for (uint32_t i = 0; i < stack->nrets; ++i) value::clear(&stack->rets[i]);
  return error;
}

[[gnu::cold]] tenon_status finish_failure(const tenon_op* op, tenon_stack* stack,
                                          RunningPlace* place, tenon_status status,
                                          ErrorTarget home) noexcept {
  ErrorPtr error = check_outcome(op, stack, place, status);
  base::leave(base::record_of(place), place);
  return error ? fail_call(std::move(error), stack, home) : TENON_OK;
}

[[gnu::always_inline]] inline tenon_status finish(const tenon_op* op, tenon_stack* stack,
                                                  RunningPlace* place, tenon_status status,
                                                  ErrorTarget home) noexcept {
  if (status != TENON_OK || !results_good(*op, stack)) [[unlikely]] {
    return finish_failure(op, stack, place, status, home);
  }
  base::leave(base::record_of(place), place);
  return status;
}

// Leaves a call whose stack does not fit the operator.
[[gnu::cold]] tenon_status refuse_stack(const tenon_op* op, tenon_stack* stack,
                                        ThreadRecord* thread, RunningPlace* place,
                                        const Snapshot* snapshot) noexcept {
  ErrorPtr error = stack_error(*op, *snapshot, *stack);
  base::leave(thread, place);
  return fail_call(std::move(error), stack, ErrorTarget::kThreadSlot);
}

// Continues a call that has been entered, with checks of the tensors only or of all types.
template <Checks checks>
tenon_status call_entered_with(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                               RunningPlace* place, const Snapshot* snapshot) {
  tenon_keyset keys;
  if (!counts_fit(*snapshot, *stack) ||
      !extract_keys<checks>(*snapshot, stack->args, stack->nargs, &keys)) {
    return refuse_stack(op, stack, thread, place, snapshot);
  }
  return run_call(op, keys, stack, thread, place, snapshot);
}

template <Checks checks>
[[gnu::cold]] tenon_status call_slow_with(const tenon_op* op, tenon_stack* stack) {
  const base::EnteredCall entered = base::enter_slow(op);
  if (entered.place == nullptr) {
    return fail_call(enter_error(*op, entered), stack, ErrorTarget::kThreadSlot);
  }
  return call_entered_with<checks>(op, stack, entered.thread, entered.place,
                                   op->snapshot.load(std::memory_order_acquire));
}

// Ends the fast path of calls with arbitrary arguments.
[[gnu::always_inline]] inline tenon_status call_keys_found(const tenon_op* op, tenon_keyset keys,
                                                           tenon_stack* stack, ThreadRecord* thread,
                                                           RunningPlace* place,
                                                           const Snapshot* snapshot) {
  keys = with_backend(*snapshot, fast_keys(*snapshot, *thread, keys), stack->args, stack->nargs);
  const Kernel* kernel;
  if (!find_kernel(*snapshot, *thread, keys, &kernel)) [[unlikely]] {
    return call_write(op, keys, stack, place, snapshot);
  }
  return run_kernel(op, kernel, keys, stack, place, finish_call);
}

// The fast path if tags alone are not enough: texts, lists of texts, untyped values.
template <Checks checks>
[[gnu::noinline]] tenon_status examine_and_call(const tenon_op* op, tenon_stack* stack,
                                                ThreadRecord* thread, RunningPlace* place,
                                                const Snapshot* snapshot) {
  tenon_keyset keys;
  if (stack_counts(*stack) != snapshot->counts ||
      !extract_keys<checks>(*snapshot, stack->args, stack->nargs, &keys) ||
      (keys & kOverrideBit) != 0) [[unlikely]] {
    return call_entered_with<checks>(op, stack, thread, place, snapshot);
  }
  return call_keys_found(op, keys, stack, thread, place, snapshot);
}

// The fast path of calls with arbitrary arguments.
template <Checks checks>
[[gnu::always_inline]] inline tenon_status scan_and_call(const tenon_op* op, tenon_stack* stack,
                                                         ThreadRecord* thread, RunningPlace* place,
                                                         const Snapshot* snapshot) {
  tenon_keyset keys;
  if (stack_counts(*stack) != snapshot->counts || !scan_keys<checks>(*snapshot, stack->args, &keys))
      [[unlikely]] {
    return examine_and_call<checks>(op, stack, thread, place, snapshot);
  }
  return call_keys_found(op, keys, stack, thread, place, snapshot);
}

// Returns what is wrong with a redispatch whose keys its caller chose: the counts, the types at
// positions of tensors, an override that the keys skip, or memory that cannot be read.
ErrorPtr explicit_call_error(const tenon_op* op, tenon_keyset keys,
                             const tenon_stack& stack) noexcept {
  const SnapshotGuard guard(op);
  if (guard.get() == nullptr) return enter_error(*op, guard.entered());
  const Snapshot& snapshot = *guard.get();
  tenon_keyset carried;
  if (!counts_fit(snapshot, stack) ||
      !extract_keys<Checks::kTensors>(snapshot, stack.args, stack.nargs, &carried)) {
    return stack_error(*op, snapshot, stack);
  }
  if (loses_override(carried, keys)) return override_closed_error(*op);
  return unreadable_argument(*op, snapshot, keys, stack.args, stack.nargs);
}

// The boxed form of a typed redispatch from outside of all kernels.
tenon_status run_explicit(void*, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  if (ErrorPtr error = explicit_call_error(op, keys, *stack)) {
    return fail_call(std::move(error), stack, ErrorTarget::kStack);
  }
  const ThreadRecord& thread = *base::current_thread();
  const RunningPlace* place = thread.top.load(std::memory_order_relaxed) - 1;
  const tenon_entry& entry = running_kernel(place)->entry;
  if (!is_recorded(thread)) return entry.boxed(entry.ctx, op, keys, stack);
  SpanEnd end(place);
  return end.returned(entry.boxed(entry.ctx, op, keys, stack));
}

constexpr tenon_entry kExplicitEntry = [] {
  tenon_entry entry{};
  entry.boxed = &run_explicit;
  entry.language = TENON_LANGUAGE_C;
  return entry;
}();

const tenon_entry* fail_begin(ErrorPtr error) noexcept {
  base::set_current_error(std::move(error));
  return nullptr;
}

}  // namespace

bool counts_fit(const Snapshot& snapshot, const tenon_stack& stack) noexcept {
  const uint32_t nargs = snapshot.nargs();
  const uint32_t nrets = snapshot.nrets();
  return (stack.nargs == nargs || ((snapshot.traits & kHasVararg) != 0 && stack.nargs > nargs)) &&
         (stack.nrets == nrets || ((snapshot.traits & kHasVarret) != 0 && stack.nrets > nrets));
}

tenon_status run_picked(const tenon_op* op, const Pick& picked, tenon_stack* stack,
                        ThreadRecord* thread, RunningPlace* place, BeginKind kind) {
  base::set_running(place, picked.kernel);  // keeps the kernel alive: a listener may remove it
  profile_pick(op, picked, kind, thread, place);
  const auto finish = kind == BeginKind::kCall ? finish_call : finish_redispatch;
  if (is_recorded(*thread)) [[unlikely]] {
    return run_recorded(op, picked, stack, place, finish);
  }
  return run_kernel(op, picked.kernel, picked.keys, stack, place, finish);
}

Pick pick_below(const Snapshot& snapshot, tenon_keyset keys) noexcept {
  while (true) {
    const int8_t number = snapshot.slots[slot_of(keys)];
    if (number < 0) return {snapshot.kernel(number), keys};
    if (number == kShared) return {shared_kernel(highest_bit(keys) - kBackendCount), keys};
    if (number == kMissing || (keys & kFunctionalityMask) == 0) return {nullptr, keys};
    keys &= ~(tenon_keyset{1} << highest_bit(keys));
  }
}

tenon_status call_slow(const tenon_op* op, tenon_stack* stack) {
  return call_slow_with<Checks::kTensors>(op, stack);
}

tenon_status call_scan(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                       RunningPlace* place, const Snapshot* snapshot) {
  return scan_and_call<Checks::kTensors>(op, stack, thread, place, snapshot);
}

tenon_status call_entered(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                          RunningPlace* place, const Snapshot* snapshot) {
  return call_entered_with<Checks::kTensors>(op, stack, thread, place, snapshot);
}

tenon_status call_checked(const tenon_op* op, tenon_stack* stack) {
  ThreadRecord* thread = base::current_thread();
  RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, place)) [[unlikely]] {
    return call_slow_with<Checks::kAll>(op, stack);
  }
  base::push_owner(thread, place, op);
  return scan_and_call<Checks::kAll>(op, stack, thread, place,
                                     op->snapshot.load(std::memory_order_acquire));
}

tenon_status redispatch_slow(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const base::EnteredCall entered = base::enter_slow(op);
  if (entered.place == nullptr) {
    return fail_call(enter_error(*op, entered), stack, ErrorTarget::kStack);
  }
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  if (is_outermost(entered.thread, entered.place)) {
    if (ErrorPtr error = explicit_call_error(op, keys, *stack)) {
      base::leave(entered.thread, entered.place);
      return fail_call(std::move(error), stack, ErrorTarget::kStack);
    }
  }
  return redispatch_entered(op, keys, stack, entered.thread, entered.place, snapshot);
}

tenon_status redispatch_entered(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                                ThreadRecord* thread, RunningPlace* place,
                                const Snapshot* snapshot) {
  if (!counts_fit(*snapshot, *stack)) {
    ErrorPtr error = stack_error(*op, *snapshot, *stack);
    base::leave(thread, place);
    return fail_call(std::move(error), stack, ErrorTarget::kStack);
  }
  return run(op, keys & snapshot->mask, stack, thread, place, snapshot, BeginKind::kRedispatch);
}

tenon_status finish_call(const tenon_op* op, tenon_stack* stack, RunningPlace* place,
                         tenon_status status) noexcept {
  return finish(op, stack, place, status, ErrorTarget::kThreadSlot);
}

tenon_status finish_redispatch(const tenon_op* op, tenon_stack* stack, RunningPlace* place,
                               tenon_status status) noexcept {
  return finish(op, stack, place, status, ErrorTarget::kStack);
}

const tenon_entry* begin_slow(const tenon_op* op, tenon_keyset keys, tenon_keyset dropped,
                              tenon_frame* frame, BeginKind kind) {
  while (true) {
    const base::EnteredCall entered = base::enter(op);
    if (entered.place == nullptr) return fail_begin(enter_error(*op, entered));
    const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
    const tenon_keyset all = kind == BeginKind::kCall ? call_keys(*snapshot, *entered.thread, keys)
                                                      : keys & snapshot->mask;
    const Pick picked = pick(*snapshot, all & ~dropped);
    if (picked.kernel != nullptr) {
      base::set_running(entered.place, picked.kernel);
      profile_pick(op, picked, kind, entered.thread, entered.place);
      return begin_profiled(op, picked, entered.thread, entered.place, frame);
    }
    base::leave(entered.thread, entered.place);
    if (ErrorPtr error = missing_kernel(op, picked.keys)) return fail_begin(std::move(error));
  }
}

const tenon_entry* begin_keys_slow(const tenon_op* op, tenon_keyset keys, tenon_frame* frame) {
  const tenon_entry* entry = begin_slow(op, keys, 0, frame, BeginKind::kRedispatch);
  const auto* place = entry != nullptr ? static_cast<RunningPlace*>(frame->leave_value) : nullptr;
  if (place == nullptr || !is_outermost(base::record_of(place), place)) return entry;
  frame->ctx = nullptr;
  frame->state = kHasStandIn;
  frame->entry = &kExplicitEntry;
  return frame->entry;
}

const tenon_entry* begin_factory(const tenon_op* op, const tenon_device* device,
                                 tenon_frame* frame) {
  const base::EnteredCall entered = base::enter(op);
  if (entered.place == nullptr) return fail_begin(enter_error(*op, entered));
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  if ((snapshot->flags & kSelectsBackend) == 0) [[unlikely]] {
    base::leave(entered.thread, entered.place);
    return begin_n(op, nullptr, 0, frame);
  }
  if (device != nullptr && !is_backend(device->type)) [[unlikely]] {
    base::leave(entered.thread, entered.place);
    return fail_begin(device_error(*op, *device));
  }
  // Choose the backend now, because kernels above BackendSelect redispatch with the choice.
  constexpr tenon_keyset kSelect = functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT);
  const tenon_keyset chosen = dense_keys(device);
  const tenon_keyset keys = fast_keys(*snapshot, *entered.thread, chosen) & ~kSelect;
  const Kernel* kernel = slot_kernel(*snapshot, keys);
  if (kernel == nullptr || entered.thread->slow_requests != 0 ||
      (snapshot->flags & kHasUserAutograd) != 0) [[unlikely]] {
    base::leave(entered.thread, entered.place);
    return begin_slow(op, chosen, kSelect, frame, BeginKind::kCall);
  }
  base::set_running(entered.place, kernel);
  return fill_frame(op, kernel, keys, entered.thread, entered.place, frame);
}

const tenon_entry* begin_boxed_scan(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                    tenon_frame* frame, ThreadRecord* thread, RunningPlace* place) {
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (nargs == int64_t{snapshot->nargs()} && scan_keys<Checks::kTensors>(*snapshot, args, &keys))
      [[likely]] {
    keys = with_backend(*snapshot, fast_keys(*snapshot, *thread, keys), args, snapshot->nargs());
    const Kernel* kernel;
    if (!find_kernel(*snapshot, *thread, keys, &kernel)) [[unlikely]] {
      return begin_boxed_write(op, args, frame, place, snapshot, keys);
    }
    base::set_running(place, kernel);
    const tenon_entry* entry = fill_frame(op, kernel, keys, thread, place, frame);
    frame->state = kArgumentsChecked;
    return entry;
  }
  base::leave(thread, place);
  return begin_boxed_slow(op, args, nargs, frame);
}

const tenon_entry* begin_boxed_slow(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                    tenon_frame* frame) {
  const uint32_t count = narrow_count(nargs);
  const base::EnteredCall entered = base::enter(op);
  if (entered.place == nullptr) return fail_begin(enter_error(*op, entered));
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (!extract_keys<Checks::kTensors>(*snapshot, args, count, &keys)) {
    ErrorPtr error = arguments_error(*op, snapshot->schema, args, count);
    base::leave(entered.thread, entered.place);
    return fail_begin(std::move(error));
  }
  const tenon_keyset all = keys_of_call(*snapshot, *entered.thread, keys, args, count);
  if (loses_override(keys, all)) [[unlikely]] {
    base::leave(entered.thread, entered.place);
    return fail_begin(override_closed_error(*op));
  }
  const Pick picked = pick(*snapshot, all);
  if (picked.kernel == nullptr) [[unlikely]] {
    base::leave(entered.thread, entered.place);
    ErrorPtr error = missing_kernel(op, picked.keys);
    return error ? fail_begin(std::move(error)) : begin_boxed(op, args, nargs, frame);
  }
  base::set_running(entered.place, picked.kernel);
  profile_pick(op, picked, BeginKind::kCall, entered.thread, entered.place);
  const tenon_entry* entry = begin_profiled(op, picked, entered.thread, entered.place, frame);
  frame->state |= kArgumentsChecked;
  return entry;
}

tenon_status call_frame_slow(tenon_frame* frame, tenon_stack* stack) {
  const tenon_op* op = frame->op;
  if ((frame->state & kArgumentsChecked) == 0) {
    const tenon_status status = check_arguments(op, stack->args, stack->nargs);
    if (status != TENON_OK) return status;
  }
  const bool has_stand_in = (frame->state & kHasStandIn) != 0;
  const tenon_entry* entry = has_stand_in ? frame->entry : &running_kernel(frame)->entry;
  return finish_frame(frame, stack, entry->boxed(entry->ctx, op, frame->keys, stack));
}

tenon_status finish_frame(const tenon_frame* frame, tenon_stack* stack,
                          tenon_status status) noexcept {
  const tenon_op* op = frame->op;
  if (status == TENON_OK && results_good(*op, stack)) return TENON_OK;
  const auto* place = static_cast<const RunningPlace*>(frame->leave_value);
  ErrorPtr error = check_outcome(op, stack, place, status);
  return error ? fail_call(std::move(error), stack, ErrorTarget::kThreadSlot) : TENON_OK;
}

tenon_status end_frame(tenon_frame* frame, tenon_status status) noexcept {
  ErrorPtr error = ErrorPtr::adopt(std::exchange(frame->error, nullptr));
  if (status != TENON_OK) {
    const auto* place = static_cast<const RunningPlace*>(frame->leave_value);
    if (!error) error = adopt_slot_error(*frame->op, place, status);
    add_kernel_frame(error.get(), *frame->op, *running_kernel(place));
    base::set_current_error(std::move(error));
  }
  __atomic_store_n(frame->leave_word, frame->leave_value, __ATOMIC_RELEASE);
  return status;
}

tenon_status end_frame_without_result(tenon_frame* frame, int64_t index) noexcept {
  ErrorPtr::adopt(std::exchange(frame->error, missing_result_error(*frame->op, index).detach()));
  return end_frame(frame, TENON_ERROR_TYPE);
}

tenon_status call_key(const tenon_op* op, tenon_key key, tenon_stack* stack) {
  if (!is_runtime_key(key)) {
    return fail_call(key_error(*op, key), stack, ErrorTarget::kThreadSlot);
  }
  const base::EnteredCall entered = base::enter(op);
  if (entered.place == nullptr) {
    return fail_call(enter_error(*op, entered), stack, ErrorTarget::kThreadSlot);
  }
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (!counts_fit(*snapshot, *stack) ||
      !extract_keys<Checks::kTensors>(*snapshot, stack->args, stack->nargs, &keys)) {
    return refuse_stack(op, stack, entered.thread, entered.place, snapshot);
  }
  if (ErrorPtr error =
          unreadable_argument(*op, *snapshot, keyset_of(key), stack->args, stack->nargs)) {
    base::leave(entered.thread, entered.place);
    return fail_call(std::move(error), stack, ErrorTarget::kThreadSlot);
  }
  const Kernel* kernel = kernel_of_slot(*snapshot, slot_of_key(key));
  // The kernel is passed a set in which its own key is the highest: drop higher keys of arguments.
  const tenon_keyset carried = keys;
  keys = (call_keys(*snapshot, *entered.thread, keys) & keys_below(key)) | keyset_of(key);
  if (loses_override(carried, keys)) {
    base::leave(entered.thread, entered.place);
    return fail_call(override_closed_error(*op), stack, ErrorTarget::kThreadSlot);
  }
  if (kernel == nullptr) {
    base::leave(entered.thread, entered.place);
    ErrorPtr error = missing_slot_error(*op, key);
    return error ? fail_call(std::move(error), stack, ErrorTarget::kThreadSlot)
                 : call_key(op, key, stack);
  }
  const Pick picked{kernel, keys};
  base::set_running(entered.place, picked.kernel);
  profile_pick(op, picked, BeginKind::kCall, entered.thread, entered.place);
  if (is_recorded(*entered.thread)) {
    return run_recorded(op, picked, stack, entered.place, finish_call);
  }
  return run_kernel(op, kernel, keys, stack, entered.place, finish_call);
}

tenon_status compute_keys(const tenon_op* op, const tenon_value* args, int64_t nargs,
                          tenon_keyset* out_keys) noexcept {
  *out_keys = 0;
  const uint32_t count = narrow_count(nargs);
  ErrorPtr error;
  {
    const SnapshotGuard guard(op);
    tenon_keyset keys;
    if (guard.get() == nullptr) {
      error = enter_error(*op, guard.entered());
    } else if (!extract_keys<Checks::kTensors>(*guard.get(), args, count, &keys)) {
      error = arguments_error(*op, guard.get()->schema, args, count);
    } else {
      *out_keys = keys_of_call(*guard.get(), *base::current_thread(), keys, args, count);
    }
  }
  return error ? fail_call(std::move(error), nullptr, ErrorTarget::kThreadSlot) : TENON_OK;
}

}  // namespace tenon::dispatch
