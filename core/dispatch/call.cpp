// SPDX-License-Identifier: Apache-2.0
// The careful ways of a call: first call of a thread, unusual arguments, traces, failures.
#include "dispatch/argument_check.h"
#include "dispatch/auto_load.h"
#include "dispatch/call_errors.h"
#include "dispatch/call_path.h"
#include "dispatch/carry_results.h"
#include "dispatch/trace.h"
#include "value/value.h"

namespace tenon::dispatch {

namespace {

using base::ErrorPtr;

// Ends a call that failed: the error goes where the caller looks for it.
tenon_status give_error(ErrorPtr error, tenon_stack* stack, ErrorPlace place) noexcept {
  const tenon_status status = error->code();
  if (place == ErrorPlace::kThreadSlot) {
    base::set_current_error(std::move(error));
    return status;
  }
  ErrorPtr::adopt(stack->error);
  stack->error = error.detach();
  return status;
}

bool counts_fit(const Snapshot& snapshot, const tenon_stack& stack) noexcept {
  const auto nargs = static_cast<uint32_t>(snapshot.counts);
  const auto nrets = static_cast<uint32_t>(snapshot.counts >> 32);
  return (stack.nargs == nargs || ((snapshot.flags & kHasVararg) != 0 && stack.nargs > nargs)) &&
         (stack.nrets == nrets || ((snapshot.flags & kHasVarret) != 0 && stack.nrets > nrets));
}

void trace_pick(const tenon_op* op, const Pick& picked, BeginKind kind, const ThreadRecord* thread,
                const RunningSlot* slot) {
  if ((thread->slow_requests & base::kSlowTrace) == 0) [[likely]] {
    return;
  }
  trace_dispatch(op, picked.keys, *picked.kernel, kind == BeginKind::kRedispatch,
                 static_cast<int32_t>(slot - thread->running));
}

// After leaving a call that found no kernel: the error, or nothing when a plugin came that may have
// one.
ErrorPtr missing_kernel(const tenon_op* op, tenon_keyset keys) {
  ErrorPtr cause;
  if (load_for_kernel(*op, highest_key(keys), &cause)) return {};
  return missing_kernel_error(*op, keys, std::move(cause));
}

tenon_status run(const tenon_op* op, tenon_keyset keys, tenon_stack* stack, ThreadRecord* thread,
                 RunningSlot* slot, const Snapshot* snapshot, BeginKind kind) {
  const Pick picked = pick(*snapshot, keys);
  if (picked.kernel == nullptr) {
    base::leave(thread, slot);
    ErrorPtr error = missing_kernel(op, picked.keys);
    if (kind == BeginKind::kCall) {
      return error ? give_error(std::move(error), stack, ErrorPlace::kThreadSlot) : call(op, stack);
    }
    return error ? give_error(std::move(error), stack, ErrorPlace::kStack)
                 : redispatch(op, keys, stack);
  }
  base::set_running(slot, picked.kernel);
  trace_pick(op, picked, kind, thread, slot);
  const tenon_entry& entry = picked.kernel->entry;
  const tenon_status status = entry.boxed(entry.ctx, op, picked.keys, stack);
  return kind == BeginKind::kCall ? finish_call(op, stack, slot, status)
                                  : finish_redispatch(op, stack, slot, status);
}

// Whether an argument needs Override and the call does not get there: an object must never reach a
// kernel that wants a tensor.
bool loses_override(tenon_keyset carried, tenon_keyset keys) noexcept {
  return (carried & ~keys & kOverrideBit) != 0;
}

// A call whose arguments carry these keys.
tenon_status run_call(const tenon_op* op, tenon_keyset carried, tenon_stack* stack,
                      ThreadRecord* thread, RunningSlot* slot, const Snapshot* snapshot) {
  const tenon_keyset keys = call_keys(*snapshot, *thread, carried);
  if (loses_override(carried, keys)) [[unlikely]] {
    base::leave(thread, slot);
    return give_error(override_shut_error(*op), stack, ErrorPlace::kThreadSlot);
  }
  return run(op, keys, stack, thread, slot, snapshot, BeginKind::kCall);
}

// The error of a kernel that failed: its stack's, else the slot's with the same code, else a new
// one.
ErrorPtr adopt_error(const tenon_op* op, tenon_stack* stack, tenon_status status) noexcept {
  if (stack->error != nullptr) {
    return ErrorPtr::adopt(std::exchange(stack->error, nullptr));
  }
  return adopt_slot_error(*op, status);
}

// Whether the results are right, without the schema. Fills in a returned written argument.
bool results_good(const tenon_op& op, tenon_stack* stack) noexcept {
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

const Kernel* running_kernel(const RunningSlot* slot) noexcept {
  return static_cast<const Kernel*>(slot->load(std::memory_order_relaxed));
}

// Looks at what a kernel left: the error of the call, its results cleared, or nothing when all is
// well after all.
ErrorPtr settle(const tenon_op* op, tenon_stack* stack, const Kernel& kernel,
                tenon_status status) noexcept {
  ErrorPtr error;
  if (status == TENON_OK) {
    // What the kernel tried and survived is no error of this call.
    ErrorPtr::adopt(std::exchange(stack->error, nullptr));
    error = may_return_anything(kernel)
                ? carried_results_error(*op, stack)
                : results_error(*op, stack->args, stack->nargs, stack->rets, stack->nrets);
    if (!error) return error;
  } else {
    error = adopt_error(op, stack, status);
  }
  for (uint32_t i = 0; i < stack->nrets; ++i) value::clear(&stack->rets[i]);
  return error;
}

tenon_status finish(const tenon_op* op, tenon_stack* stack, RunningSlot* slot, tenon_status status,
                    ErrorPlace place) noexcept {
  if (status == TENON_OK && results_good(*op, stack)) {
    base::leave(base::record_of(slot), slot);
    return TENON_OK;
  }
  ErrorPtr error = settle(op, stack, *running_kernel(slot), status);
  base::leave(base::record_of(slot), slot);
  return error ? give_error(std::move(error), stack, place) : TENON_OK;
}

const tenon_entry* fail_begin(ErrorPtr error) noexcept {
  base::set_current_error(std::move(error));
  return nullptr;
}

}  // namespace

Pick pick_below(const Snapshot& snapshot, tenon_keyset keys) noexcept {
  while (true) {
    const int8_t number = snapshot.slots[slot_of(keys)];
    if (number < 0) return {snapshot.record(number), keys};
    if (number == kMissing) return {nullptr, keys};
    keys = remove_key(keys, highest_key(keys));
  }
}

tenon_status call_slow(const tenon_op* op, tenon_stack* stack) {
  const base::Entered entered = base::enter_slow(op);
  if (entered.slot == nullptr) {
    return give_error(enter_error(*op, entered), stack, ErrorPlace::kThreadSlot);
  }
  return call_careful(op, stack, entered.thread, entered.slot,
                      op->snapshot.load(std::memory_order_acquire));
}

tenon_status call_careful(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                          RunningSlot* slot, const Snapshot* snapshot) {
  tenon_keyset keys;
  if (!counts_fit(*snapshot, *stack) ||
      !extract_keys(*snapshot, stack->args, stack->nargs, &keys)) {
    ErrorPtr error = stack_error(*op, *snapshot, *stack);
    base::leave(thread, slot);
    return give_error(std::move(error), stack, ErrorPlace::kThreadSlot);
  }
  return run_call(op, keys, stack, thread, slot, snapshot);
}

tenon_status call_checked(const tenon_op* op, tenon_stack* stack) {
  const base::Entered entered = base::enter(op);
  if (entered.slot == nullptr) {
    return give_error(enter_error(*op, entered), stack, ErrorPlace::kThreadSlot);
  }
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys = 0;
  tenon_keyset overriding = 0;
  if (!arguments_match(snapshot->schema, stack->args, stack->nargs, &overriding) ||
      !counts_fit(*snapshot, *stack) ||
      (!(snapshot->kind != 0 && extract_plain_keys(*snapshot, stack->args, &keys)) &&
       !extract_keys(*snapshot, stack->args, stack->nargs, &keys))) {
    ErrorPtr error = stack_error(*op, *snapshot, *stack);
    base::leave(entered.thread, entered.slot);
    return give_error(std::move(error), stack, ErrorPlace::kThreadSlot);
  }
  return run_call(op, keys | overriding, stack, entered.thread, entered.slot, snapshot);
}

tenon_status redispatch_slow(const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const base::Entered entered = base::enter_slow(op);
  if (entered.slot == nullptr) {
    return give_error(enter_error(*op, entered), stack, ErrorPlace::kStack);
  }
  return redispatch_careful(op, keys, stack, entered.thread, entered.slot,
                            op->snapshot.load(std::memory_order_acquire));
}

tenon_status redispatch_careful(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                                ThreadRecord* thread, RunningSlot* slot, const Snapshot* snapshot) {
  if (!counts_fit(*snapshot, *stack)) {
    ErrorPtr error = stack_error(*op, *snapshot, *stack);
    base::leave(thread, slot);
    return give_error(std::move(error), stack, ErrorPlace::kStack);
  }
  return run(op, keys & snapshot->mask, stack, thread, slot, snapshot, BeginKind::kRedispatch);
}

tenon_status finish_call(const tenon_op* op, tenon_stack* stack, RunningSlot* slot,
                         tenon_status status) noexcept {
  return finish(op, stack, slot, status, ErrorPlace::kThreadSlot);
}

tenon_status finish_redispatch(const tenon_op* op, tenon_stack* stack, RunningSlot* slot,
                               tenon_status status) noexcept {
  return finish(op, stack, slot, status, ErrorPlace::kStack);
}

const tenon_entry* begin_careful(const tenon_op* op, tenon_keyset keys, tenon_keyset dropped,
                                 tenon_frame* frame, BeginKind kind) {
  while (true) {
    const base::Entered entered = base::enter(op);
    if (entered.slot == nullptr) return fail_begin(enter_error(*op, entered));
    const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
    const tenon_keyset all = kind == BeginKind::kCall ? call_keys(*snapshot, *entered.thread, keys)
                                                      : keys & snapshot->mask;
    const Pick picked = pick(*snapshot, all & ~dropped);
    if (picked.kernel != nullptr) {
      base::set_running(entered.slot, picked.kernel);
      trace_pick(op, picked, kind, entered.thread, entered.slot);
      return fill_frame(op, picked.kernel, picked.keys, entered.thread, entered.slot, frame);
    }
    base::leave(entered.thread, entered.slot);
    if (ErrorPtr error = missing_kernel(op, picked.keys)) return fail_begin(std::move(error));
  }
}

const tenon_entry* begin_factory(const tenon_op* op, const tenon_device* device,
                                 tenon_frame* frame) {
  bool selects;
  {
    const SnapshotGuard guard(op);
    selects = guard.get() != nullptr && (guard.get()->flags & kSelectsBackend) != 0;
  }
  if (!selects) return begin(op, 0, frame);
  if (device != nullptr && !is_backend(device->type)) {
    return fail_begin(device_error(*op, *device));
  }
  // The choice is made here: what runs above BackendSelect redispatches with it.
  const uint32_t backend = device != nullptr ? static_cast<uint32_t>(device->type) : 0;
  return begin_careful(op, functionality_bit(TENON_FUNCTIONALITY_DENSE) | backend_bit(backend),
                       functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT), frame,
                       BeginKind::kCall);
}

const tenon_entry* resolve(const tenon_op* op, const tenon_value* args, uint32_t nargs,
                           tenon_frame* frame) {
  base::Entered entered = base::enter(op);
  if (entered.slot == nullptr) return fail_begin(enter_error(*op, entered));
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if ((nargs != static_cast<uint32_t>(snapshot->fast_counts) ||
       !extract_plain_keys(*snapshot, args, &keys)) &&
      !extract_keys(*snapshot, args, nargs, &keys)) {
    ErrorPtr error = arguments_error(*op, snapshot->schema, args, nargs);
    base::leave(entered.thread, entered.slot);
    return fail_begin(std::move(error));
  }
  const tenon_keyset all = call_keys(*snapshot, *entered.thread, keys);
  if (loses_override(keys, all)) [[unlikely]] {
    base::leave(entered.thread, entered.slot);
    return fail_begin(override_shut_error(*op));
  }
  const Pick picked = pick(*snapshot, all);
  if (picked.kernel == nullptr) {
    base::leave(entered.thread, entered.slot);
    ErrorPtr error = missing_kernel(op, picked.keys);
    return error ? fail_begin(std::move(error)) : resolve(op, args, nargs, frame);
  }
  base::set_running(entered.slot, picked.kernel);
  trace_pick(op, picked, BeginKind::kCall, entered.thread, entered.slot);
  const tenon_entry* entry =
      fill_frame(op, picked.kernel, picked.keys, entered.thread, entered.slot, frame);
  frame->reserved[0] = kArgumentsChecked;
  return entry;
}

tenon_status invoke(const tenon_entry* entry, tenon_frame* frame, tenon_stack* stack) {
  const tenon_op* op = frame->op;
  if (frame->reserved[0] != kArgumentsChecked) {
    const tenon_status status = check_call(op, stack->args, stack->nargs);
    if (status != TENON_OK) return status;
  }
  const tenon_status status = entry->boxed(entry->ctx, op, frame->keys, stack);
  if (status == TENON_OK && results_good(*op, stack)) [[likely]] {
    return TENON_OK;
  }
  const auto* slot = static_cast<const RunningSlot*>(frame->leave_value);
  ErrorPtr error = settle(op, stack, *running_kernel(slot), status);
  return error ? give_error(std::move(error), stack, ErrorPlace::kThreadSlot) : TENON_OK;
}

tenon_status end(tenon_frame* frame, tenon_status status) noexcept {
  ErrorPtr error = ErrorPtr::adopt(std::exchange(frame->error, nullptr));
  if (status != TENON_OK) {
    if (!error) error = adopt_slot_error(*frame->op, status);
    base::set_current_error(std::move(error));
  }
  __atomic_store_n(frame->leave_word, frame->leave_value, __ATOMIC_RELEASE);
  return status;
}

tenon_status call_key(const tenon_op* op, tenon_key key, tenon_stack* stack) {
  if (!is_runtime_key(key)) {
    return give_error(key_error(*op, key), stack, ErrorPlace::kThreadSlot);
  }
  const base::Entered entered = base::enter(op);
  if (entered.slot == nullptr) {
    return give_error(enter_error(*op, entered), stack, ErrorPlace::kThreadSlot);
  }
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (!counts_fit(*snapshot, *stack) ||
      !extract_keys(*snapshot, stack->args, stack->nargs, &keys)) {
    ErrorPtr error = stack_error(*op, *snapshot, *stack);
    base::leave(entered.thread, entered.slot);
    return give_error(std::move(error), stack, ErrorPlace::kThreadSlot);
  }
  const uint32_t slot = slot_of_key(key);
  const int8_t number = slot < snapshot->nslots ? snapshot->slots[slot] : kMissing;
  // The kernel sees itself as the highest key, whatever the arguments carry above.
  const tenon_keyset carried = keys;
  keys = (call_keys(*snapshot, *entered.thread, keys) & keys_below(key)) | keyset_of(key);
  if (loses_override(carried, keys)) {
    base::leave(entered.thread, entered.slot);
    return give_error(override_shut_error(*op), stack, ErrorPlace::kThreadSlot);
  }
  if (number >= 0) {
    base::leave(entered.thread, entered.slot);
    return give_error(missing_kernel_error(*op, keyset_of(key), {}), stack,
                      ErrorPlace::kThreadSlot);
  }
  const Pick picked{snapshot->record(number), keys};
  base::set_running(entered.slot, picked.kernel);
  trace_pick(op, picked, BeginKind::kCall, entered.thread, entered.slot);
  const tenon_entry& entry = picked.kernel->entry;
  const tenon_status status = entry.boxed(entry.ctx, op, keys, stack);
  return finish_call(op, stack, entered.slot, status);
}

tenon_status check_call(const tenon_op* op, const tenon_value* args, uint32_t nargs) noexcept {
  ErrorPtr error;
  {
    const SnapshotGuard guard(op);
    if (guard.get() == nullptr) {
      error = enter_error(*op, guard.entered());
    } else if (tenon_keyset unused = 0;
               !arguments_match(guard.get()->schema, args, nargs, &unused)) {
      error = arguments_error(*op, guard.get()->schema, args, nargs);
    }
  }
  return error ? give_error(std::move(error), nullptr, ErrorPlace::kThreadSlot) : TENON_OK;
}

tenon_status check_results_only(const tenon_op* op, const tenon_value* rets,
                                uint32_t nrets) noexcept {
  // Without arguments nothing is filled in, so the results stay as they are.
  ErrorPtr error = results_error(*op, nullptr, 0, const_cast<tenon_value*>(rets), nrets);
  return error ? give_error(std::move(error), nullptr, ErrorPlace::kThreadSlot) : TENON_OK;
}

tenon_status compute_keys(const tenon_op* op, const tenon_value* args, uint32_t nargs,
                          tenon_keyset* out_keys) noexcept {
  *out_keys = 0;
  ErrorPtr error;
  {
    const SnapshotGuard guard(op);
    tenon_keyset keys;
    if (guard.get() == nullptr) {
      error = enter_error(*op, guard.entered());
    } else if (!extract_keys(*guard.get(), args, nargs, &keys)) {
      error = arguments_error(*op, guard.get()->schema, args, nargs);
    } else {
      *out_keys = call_keys(*guard.get(), *base::current_thread(), keys);
    }
  }
  return error ? give_error(std::move(error), nullptr, ErrorPlace::kThreadSlot) : TENON_OK;
}

}  // namespace tenon::dispatch
