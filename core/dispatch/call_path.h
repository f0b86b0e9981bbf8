// SPDX-License-Identifier: Apache-2.0
// The fast path of a call, inlined into each entry point.
#pragma once

#include "base/reclaim.h"
#include "dispatch/key_extract.h"
#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

using base::RunningSlot;
using base::ThreadRecord;

/// Keeps the compiler from combining what comes before and after.
#define TENON_IN_REGISTER(word) asm volatile("" : "+r"(word))

/// What serves a key set: `kernel` NULL when nothing does. `keys` lost what falls through.
struct Pick {
  const Kernel* kernel;
  tenon_keyset keys;
};

/// Goes on below slots that fall through for one backend only.
[[gnu::cold]] Pick pick_below(const Snapshot& snapshot, tenon_keyset keys) noexcept;

/// The record of a key set's slot; NULL where someone has to look more closely.
inline const Kernel* slot_record(const Snapshot& snapshot, tenon_keyset keys) noexcept {
  const int64_t number = snapshot.slots[slot_of(keys)];
  return number < 0 ? snapshot.record(number) : nullptr;
}

inline Pick pick(const Snapshot& snapshot, tenon_keyset keys) noexcept {
  const Kernel* kernel = slot_record(snapshot, keys);
  return kernel != nullptr ? Pick{kernel, keys} : pick_below(snapshot, keys);
}

/// The record of a key set, most often the usual one. False where someone has to look more closely,
/// as at calls of operators that write an argument.
[[gnu::always_inline]] inline bool find_record(const Snapshot& snapshot, tenon_keyset keys,
                                               const Kernel** out_kernel) noexcept {
  if (keys == snapshot.usual) [[likely]] {
    *out_kernel = snapshot.record(-1);
    return true;
  }
  if ((snapshot.flags & kLeavesFastPath) != 0) return false;
  const int64_t number = snapshot.slots[slot_of(keys)];
  if (number >= 0) return false;
  *out_kernel = snapshot.record(number);
  return true;
}

/// The same for a redispatch, most of which go to the backend.
[[gnu::always_inline]] inline bool find_record_below(const Snapshot& snapshot, tenon_keyset keys,
                                                     const Kernel** out_kernel) noexcept {
  if (keys == snapshot.below) [[likely]] {
    *out_kernel = snapshot.record(snapshot.below_number);
    return true;
  }
  if ((snapshot.flags & kCountsWrites) != 0) return false;
  const int64_t number = snapshot.slots[slot_of(keys)];
  if (number >= 0) return false;
  *out_kernel = snapshot.record(number);
  return true;
}

/// Key set of a call as the fast path has it: what the arguments carry, what operator and thread
/// add, what they take away. The grad mode has taken away what own_autograd() puts back.
[[gnu::always_inline]] inline tenon_keyset fast_keys(const Snapshot& snapshot,
                                                     const ThreadRecord& thread,
                                                     tenon_keyset keys) noexcept {
  // One step at a time, so that each operand is used from memory.
  keys |= snapshot.include;
  TENON_IN_REGISTER(keys);
  keys |= thread.include;
  TENON_IN_REGISTER(keys);
  keys &= thread.keep;
  TENON_IN_REGISTER(keys);
  return keys & snapshot.mask;
}

/// Autograd where only the grad mode took it from a call of an operator with an Autograd kernel of
/// a user's own, which runs in every mode. A guard that excludes the key wins.
[[gnu::always_inline]] inline tenon_keyset own_autograd(const Snapshot& snapshot,
                                                        const ThreadRecord& thread) noexcept {
  if ((snapshot.flags & kHasOwnAutograd) == 0) [[likely]] {
    return 0;
  }
  return snapshot.include & ~(thread.keep | thread.exclude);
}

/// Key set of a call.
[[gnu::always_inline]] inline tenon_keyset call_keys(const Snapshot& snapshot,
                                                     const ThreadRecord& thread,
                                                     tenon_keyset keys) noexcept {
  return fast_keys(snapshot, thread, keys) | own_autograd(snapshot, thread);
}

inline uint64_t stack_counts(const tenon_stack& stack) noexcept {
  uint64_t counts;
  __builtin_memcpy(&counts, &stack.nargs, sizeof counts);
  return counts;
}
static_assert(offsetof(tenon_stack, nrets) == offsetof(tenon_stack, nargs) + 4);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "counts are compared as one word");

/// Whether results are what the operator returns, as far as one comparison can tell.
[[gnu::always_inline]] inline bool results_match(const tenon_op& op,
                                                 const tenon_stack& stack) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // As in can_enter(): one comparison with memory for operators without results.
  static_assert(kNoResults == 0);
  bool none;
  asm volatile("cmpl $0, %1" : "=@ccz"(none) : "m"(op.results));
  if (none) return true;
  const auto wanted = static_cast<uint32_t>(op.results.load(std::memory_order_relaxed));
#else
  const auto wanted = static_cast<uint32_t>(op.results.load(std::memory_order_relaxed));
  if (wanted == kNoResults) return true;
#endif
  // An operator may have been defined anew, with results, while its old kernel ran.
  if (stack.rets == nullptr) return false;
  uint32_t actual;
  __builtin_memcpy(&actual, stack.rets, sizeof actual);
  if (actual != wanted) return false;
  // A tensor must be there; a number may be 0.
  return stack.rets->as.words[0] != 0 || stack.rets->tag != TENON_TAG_TENSOR;
}

/// Where the error of a failed call ends.
enum class ErrorPlace { kThreadSlot, kStack };

/// The way of calls with other arguments than one to three tensors in front: still straight, but a
/// function of its own, which costs those calls a few instructions less than it would save here.
tenon_status call_common(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                         RunningSlot* slot, const Snapshot* snapshot);
/// The way of calls that find no record at once: those of operators that write an argument, and
/// the missing ones. See call_unusual.cpp.
tenon_status call_unusual(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                          RunningSlot* slot, const Snapshot* snapshot);
tenon_status redispatch_unusual(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                                RunningSlot* slot, const Snapshot* snapshot);
/// The careful ways: everything the fast path has no room for. What runs a kernel is not noexcept:
/// a forced unwind (pthread_exit, cancellation) goes through.
tenon_status call_slow(const tenon_op* op, tenon_stack* stack);
tenon_status call_careful(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                          RunningSlot* slot, const Snapshot* snapshot);
tenon_status redispatch_slow(const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_status redispatch_careful(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                                ThreadRecord* thread, RunningSlot* slot, const Snapshot* snapshot);
/// After the kernel, when it failed or its results need a closer look. Leaves the call.
tenon_status finish_call(const tenon_op* op, tenon_stack* stack, RunningSlot* slot,
                         tenon_status status) noexcept;
tenon_status finish_redispatch(const tenon_op* op, tenon_stack* stack, RunningSlot* slot,
                               tenon_status status) noexcept;

/// Runs a kernel that was picked for a call and leaves the call.
[[gnu::always_inline]] inline tenon_status run_kernel(const tenon_op* op, const Kernel* kernel,
                                                      tenon_keyset keys, tenon_stack* stack,
                                                      RunningSlot* slot,
                                                      decltype(finish_call)* finish) {
  base::set_running(slot, kernel);
  tenon_status status = kernel->entry.boxed(kernel->entry.ctx, op, keys, stack);
  const bool good = status == TENON_OK && results_match(*op, *stack);
  TENON_IN_REGISTER(status);
  if (!good) [[unlikely]] {
    return finish(op, stack, slot, status);
  }
  // Its place tells the record: cheaper than one more register kept across the kernel.
  base::leave(base::record_of(slot), slot);
  return status;
}

/// Calls an operator; see tenon_op_call_fast.
[[gnu::always_inline]] inline tenon_status call(const tenon_op* op, tenon_stack* stack) {
  ThreadRecord* thread = base::current_thread();
  RunningSlot* slot = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, slot)) [[unlikely]] {
    return call_slow(op, stack);
  }
  base::push_owner(thread, slot, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (!extract_plain_keys(*snapshot, stack_counts(*stack), ~uint64_t{0}, stack->args, &keys))
      [[unlikely]] {
    return call_common(op, stack, thread, slot, snapshot);
  }
  keys = fast_keys(*snapshot, *thread, keys);
  const Kernel* kernel;
  if (!find_record(*snapshot, keys, &kernel)) [[unlikely]] {
    return call_unusual(op, keys, stack, slot, snapshot);
  }
  return run_kernel(op, kernel, keys, stack, slot, finish_call);
}

/// Calls what serves a key set, from inside a kernel; see tenon_op_redispatch.
[[gnu::always_inline]] inline tenon_status redispatch(const tenon_op* op, tenon_keyset keys,
                                                      tenon_stack* stack) {
  ThreadRecord* thread = base::current_thread();
  RunningSlot* slot = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, slot)) [[unlikely]] {
    return redispatch_slow(op, keys, stack);
  }
  base::push_owner(thread, slot, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  keys &= snapshot->mask;
  if (stack_counts(*stack) != snapshot->counts) [[unlikely]] {
    return redispatch_careful(op, keys, stack, thread, slot, snapshot);
  }
  const Kernel* kernel;
  if (!find_record_below(*snapshot, keys, &kernel)) [[unlikely]] {
    return redispatch_unusual(op, keys, stack, slot, snapshot);
  }
  return run_kernel(op, kernel, keys, stack, slot, finish_redispatch);
}

/// The careful way of all begins, starting over. `keys` are the arguments' for a call, final for a
/// redispatch; `dropped` are taken away. NULL with the error in the thread's slot, and nothing to
/// leave.
enum class BeginKind { kCall, kRedispatch };
/// Runs what was picked in a call that has been entered, and leaves the call.
tenon_status run_picked(const tenon_op* op, const Pick& picked, tenon_stack* stack,
                        ThreadRecord* thread, RunningSlot* slot, BeginKind kind);
/// Whether a stack has as many arguments and results as the operator wants.
bool counts_fit(const Snapshot& snapshot, const tenon_stack& stack) noexcept;
const tenon_entry* begin_careful(const tenon_op* op, tenon_keyset keys, tenon_keyset dropped,
                                 tenon_frame* frame, BeginKind kind);
/// Of an operator without tensor arguments, whose backend comes from `device` (NULL: none given).
const tenon_entry* begin_factory(const tenon_op* op, const tenon_device* device,
                                 tenon_frame* frame);

[[gnu::always_inline]] inline const tenon_entry* fill_frame(const tenon_op* op,
                                                            const Kernel* kernel, tenon_keyset keys,
                                                            ThreadRecord* thread, RunningSlot* slot,
                                                            tenon_frame* frame) noexcept {
  frame->op = op;
  frame->ctx = kernel->entry.ctx;
  frame->keys = keys;
  frame->leave_word = reinterpret_cast<void**>(&thread->top);
  frame->leave_value = slot;
  frame->error = nullptr;
  frame->state = 0;
  return &kernel->entry;
}
static_assert(sizeof(std::atomic<RunningSlot*>) == sizeof(void*));

/// The way of typed calls whose keys are not the usual ones: looks the slot up, and counts writes.
/// Out of line, which costs such a call some instructions and saves registers in all others.
const tenon_entry* begin1_unusual(const tenon_op* op, const tenon_tensor* a, tenon_frame* frame,
                                  RunningSlot* slot, const Snapshot* snapshot);
const tenon_entry* begin2_unusual(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                  tenon_frame* frame, RunningSlot* slot, const Snapshot* snapshot);
const tenon_entry* begin3_unusual(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                  const tenon_tensor* c, tenon_frame* frame, RunningSlot* slot,
                                  const Snapshot* snapshot);
const tenon_entry* begin_n_unusual(const tenon_op* op, const tenon_tensor* const* tensors,
                                   int64_t count, tenon_frame* frame, RunningSlot* slot,
                                   const Snapshot* snapshot);
const tenon_entry* begin_keys_unusual(const tenon_op* op, tenon_keyset keys, tenon_frame* frame,
                                      RunningSlot* slot, const Snapshot* snapshot);
/// The way of those whose tensors may be absent, or that cannot be entered at once.
const tenon_entry* begin1_careful(const tenon_op* op, const tenon_tensor* a, tenon_frame* frame);
const tenon_entry* begin2_careful(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                  tenon_frame* frame);
const tenon_entry* begin3_careful(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                  const tenon_tensor* c, tenon_frame* frame);

/// Begins a typed call whose tensors carry `keys`. `careful()` starts over where it cannot be
/// entered at once, `unusual(slot, snapshot)` goes on where the keys are not the usual ones.
template <class Careful, class Unusual>
[[gnu::always_inline]] inline const tenon_entry* begin(const tenon_op* op, tenon_keyset keys,
                                                       tenon_frame* frame, Careful&& careful,
                                                       Unusual&& unusual) {
  ThreadRecord* thread = base::current_thread();
  RunningSlot* slot = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, slot)) [[unlikely]] {
    return careful();
  }
  base::push_owner(thread, slot, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  keys = fast_keys(*snapshot, *thread, keys);
  if (keys != snapshot->usual) [[unlikely]] {
    return unusual(slot, snapshot);
  }
  const Kernel* kernel = snapshot->record(-1);
  base::set_running(slot, kernel);
  return fill_frame(op, kernel, keys, thread, slot, frame);
}

/// See tenon_frame_begin1.
[[gnu::always_inline]] inline const tenon_entry* begin1(const tenon_op* op, const tenon_tensor* a,
                                                        tenon_frame* frame) {
  const auto careful = [&] { return begin1_careful(op, a, frame); };
  if (a == nullptr) [[unlikely]] {
    return careful();
  }
  return begin(op, tensor_keys(a), frame, careful, [&](auto* slot, auto* snapshot) {
    return begin1_unusual(op, a, frame, slot, snapshot);
  });
}

/// See tenon_frame_begin2.
[[gnu::always_inline]] inline const tenon_entry* begin2(const tenon_op* op, const tenon_tensor* a,
                                                        const tenon_tensor* b, tenon_frame* frame) {
  const auto careful = [&] { return begin2_careful(op, a, b, frame); };
  if (a == nullptr || b == nullptr) [[unlikely]] {
    return careful();
  }
  const tenon_keyset keys = tensor_keys(a) | tensor_keys(b);
  return begin(op, keys, frame, careful, [&](auto* slot, auto* snapshot) {
    return begin2_unusual(op, a, b, frame, slot, snapshot);
  });
}

/// See tenon_frame_begin3.
[[gnu::always_inline]] inline const tenon_entry* begin3(const tenon_op* op, const tenon_tensor* a,
                                                        const tenon_tensor* b,
                                                        const tenon_tensor* c, tenon_frame* frame) {
  const auto careful = [&] { return begin3_careful(op, a, b, c, frame); };
  if (a == nullptr) [[unlikely]] {
    return careful();
  }
  if (b == nullptr) [[unlikely]] {
    return careful();
  }
  if (c == nullptr) [[unlikely]] {
    return careful();
  }
  const tenon_keyset keys = tensor_keys(a) | tensor_keys(b) | tensor_keys(c);
  return begin(op, keys, frame, careful, [&](auto* slot, auto* snapshot) {
    return begin3_unusual(op, a, b, c, frame, slot, snapshot);
  });
}

/// Begins a typed call of any number of tensors, some of which may be absent.
[[gnu::always_inline]] inline const tenon_entry* begin_n(const tenon_op* op,
                                                         const tenon_tensor* const* tensors,
                                                         int64_t count, tenon_frame* frame) {
  tenon_keyset keys = 0;
  for (int64_t i = 0; i < count; ++i) keys |= tensors[i] != nullptr ? tensor_keys(tensors[i]) : 0;
  const auto careful = [&] { return begin_careful(op, keys, 0, frame, BeginKind::kCall); };
  return begin(op, keys, frame, careful, [&](auto* slot, auto* snapshot) {
    return begin_n_unusual(op, tensors, count, frame, slot, snapshot);
  });
}

/// Begins a typed redispatch; see tenon_frame_begin_keys.
[[gnu::always_inline]] inline const tenon_entry* begin_keys(const tenon_op* op, tenon_keyset keys,
                                                            tenon_frame* frame) {
  ThreadRecord* thread = base::current_thread();
  RunningSlot* slot = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, slot)) [[unlikely]] {
    return begin_careful(op, keys, 0, frame, BeginKind::kRedispatch);
  }
  base::push_owner(thread, slot, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  keys &= snapshot->mask;
  if (keys != snapshot->below) [[unlikely]] {
    return begin_keys_unusual(op, keys, frame, slot, snapshot);
  }
  const Kernel* kernel = snapshot->record(snapshot->below_number);
  base::set_running(slot, kernel);
  return fill_frame(op, kernel, keys, thread, slot, frame);
}

/// Bits of tenon_frame::state: count and tags of the arguments are known to be right; the frame has
/// an entry of its own, which stands in for the kernel's while the thread is profiled.
constexpr uint64_t kArgumentsChecked = 1;
constexpr uint64_t kHasStandIn = 2;

/// The ways of resolve() for other arguments than one to three tensors in front, and the careful
/// one, starting over. See call_common().
const tenon_entry* resolve_common(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                  tenon_frame* frame, ThreadRecord* thread, RunningSlot* slot);
const tenon_entry* resolve_careful(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                   tenon_frame* frame);
/// See call_unusual(). As many arguments as the schema has.
const tenon_entry* resolve_unusual(const tenon_op* op, const tenon_value* args, tenon_frame* frame,
                                   RunningSlot* slot, const Snapshot* snapshot, tenon_keyset keys);

/// Begins a call for boxed arguments; see tenon_frame_begin_boxed.
[[gnu::always_inline]] inline const tenon_entry* resolve(const tenon_op* op,
                                                         const tenon_value* args, int64_t nargs,
                                                         tenon_frame* frame) {
  ThreadRecord* thread = base::current_thread();
  RunningSlot* slot = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, slot)) [[unlikely]] {
    return resolve_careful(op, args, nargs, frame);
  }
  base::push_owner(thread, slot, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (!extract_plain_keys(*snapshot, static_cast<uint64_t>(nargs), UINT32_MAX, args, &keys))
      [[unlikely]] {
    return resolve_common(op, args, nargs, frame, thread, slot);
  }
  keys = fast_keys(*snapshot, *thread, keys);
  const Kernel* kernel;
  if (!find_record(*snapshot, keys, &kernel)) [[unlikely]] {
    return resolve_unusual(op, args, frame, slot, snapshot, keys);
  }
  base::set_running(slot, kernel);
  const tenon_entry* entry = fill_frame(op, kernel, keys, thread, slot, frame);
  frame->state = kArgumentsChecked;
  return entry;
}

/// The kernel of a begun frame: the stack of running kernels shows it until the frame is left.
inline const Kernel* running_kernel(const tenon_frame* frame) noexcept {
  const auto* slot = static_cast<const RunningSlot*>(frame->leave_value);
  return static_cast<const Kernel*>(slot->load(std::memory_order_relaxed));
}

/// The careful way of invoke(): arguments that nobody looked at yet.
tenon_status invoke_careful(tenon_frame* frame, tenon_stack* stack);
/// After the kernel, when it failed or its results need a closer look. Leaves nothing.
tenon_status finish_invoke(const tenon_frame* frame, tenon_stack* stack,
                           tenon_status status) noexcept;

/// Calls the kernel of a frame; see tenon_frame_call.
[[gnu::always_inline]] inline tenon_status invoke(tenon_frame* frame, tenon_stack* stack) {
  if (frame->state != kArgumentsChecked) [[unlikely]] {
    return invoke_careful(frame, stack);
  }
  const tenon_entry* entry = &running_kernel(frame)->entry;
  const tenon_op* op = frame->op;
  const tenon_status status = entry->boxed(entry->ctx, op, frame->keys, stack);
  // resolve() saw the arguments only: the number of results is compared here.
  const uint64_t wanted = op->results.load(std::memory_order_relaxed);
  if (status != TENON_OK || wanted >> 32 != stack->nrets || !results_match(*op, *stack))
      [[unlikely]] {
    return finish_invoke(frame, stack, status);
  }
  return status;
}

/// The other entry points of tenon/op.h, not written for speed above all.
tenon_status end(tenon_frame* frame, tenon_status status) noexcept;
tenon_status end_without_result(tenon_frame* frame, int64_t index) noexcept;
tenon_status call_checked(const tenon_op* op, tenon_stack* stack);
tenon_status call_key(const tenon_op* op, tenon_key key, tenon_stack* stack);
tenon_status check_call(const tenon_op* op, const tenon_value* args, int64_t nargs) noexcept;
tenon_status check_results_only(const tenon_op* op, const tenon_value* rets,
                                int64_t nrets) noexcept;
tenon_status compute_keys(const tenon_op* op, const tenon_value* args, int64_t nargs,
                          tenon_keyset* out_keys) noexcept;

}  // namespace tenon::dispatch
