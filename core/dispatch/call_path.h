// SPDX-License-Identifier: Apache-2.0
// The fast path of a call, inlined into each entry point.
#pragma once

#include "base/reclaim.h"
#include "dispatch/key_extract.h"
#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

using base::RunningPlace;
using base::ThreadRecord;

/// Keeps the compiler from merging the operations before and after.
#define TENON_IN_REGISTER(word) asm volatile("" : "+r"(word))

/// The kernel that serves a key set, NULL if none does, and the set without the keys that fell
/// through.
struct Pick {
  const Kernel* kernel;
  tenon_keyset keys;
};

/// Continues the search for a kernel if the slot of `keys` holds none: below the slot if it is
/// kSkipped, at the shared fallback if it is kShared, and without success if it is kMissing.
[[gnu::cold]] Pick pick_below(const Snapshot& snapshot, tenon_keyset keys) noexcept;

/// Returns the kernel that the table has for a key set, NULL if its slot holds something else.
inline const Kernel* slot_kernel(const Snapshot& snapshot, tenon_keyset keys) noexcept {
  const int64_t number = snapshot.slots[slot_of(keys)];
  return number < 0 ? snapshot.kernel(number) : nullptr;
}

inline Pick pick(const Snapshot& snapshot, tenon_keyset keys) noexcept {
  const Kernel* kernel = slot_kernel(snapshot, keys);
  return kernel != nullptr ? Pick{kernel, keys} : pick_below(snapshot, keys);
}

/// Like find_kernel(), but for a redispatch; most redispatches go to the backend's kernel.
[[gnu::always_inline]] inline bool find_kernel_below(const Snapshot& snapshot, tenon_keyset keys,
                                                     const Kernel** out_kernel) noexcept {
  if (keys == snapshot.below) [[likely]] {
    *out_kernel = snapshot.kernel(snapshot.below_number);
    return true;
  }
  if ((snapshot.flags & kCountsWrites) != 0) return false;
  const int64_t number = snapshot.slots[slot_of(keys)];
  if (number >= 0) return false;
  *out_kernel = snapshot.kernel(number);
  return true;
}

/// Computes the key set of a call on the fast path: the keys that the arguments carry and that
/// operator and thread include, without those that thread and operator exclude. Lacks the Autograd
/// that user_autograd_key() adds back.
[[gnu::always_inline]] inline tenon_keyset fast_keys(const Snapshot& snapshot,
                                                     const ThreadRecord& thread,
                                                     tenon_keyset keys) noexcept {
  // One operation at a time, so that each takes its operand from memory.
  keys |= snapshot.include;
  TENON_IN_REGISTER(keys);
  keys |= thread.include;
  TENON_IN_REGISTER(keys);
  keys &= thread.keep;
  TENON_IN_REGISTER(keys);
  return keys & snapshot.mask;
}

/// Returns the Autograd bit if only the grad mode removed it from a call of an operator with a
/// user-defined Autograd kernel, which runs in every grad mode. A guard that excludes the key wins.
[[gnu::always_inline]] inline tenon_keyset user_autograd_key(const Snapshot& snapshot,
                                                             const ThreadRecord& thread) noexcept {
  if ((snapshot.flags & kHasUserAutograd) == 0) [[likely]] {
    return 0;
  }
  return snapshot.include & ~(thread.keep | thread.exclude);
}

/// Computes the key set of a call.
[[gnu::always_inline]] inline tenon_keyset call_keys(const Snapshot& snapshot,
                                                     const ThreadRecord& thread,
                                                     tenon_keyset keys) noexcept {
  return fast_keys(snapshot, thread, keys) | user_autograd_key(snapshot, thread);
}

/// Removes Autograd from the keys of a call whose arguments carry it if no argument is tracked:
/// views carry the key in case they become tracked later, and most never do. Autograd that the
/// operator or thread includes stays.
template <class AnyTracked>
[[gnu::always_inline]] inline tenon_keyset without_untracked_autograd(const Snapshot& snapshot,
                                                                      const ThreadRecord& thread,
                                                                      tenon_keyset keys,
                                                                      AnyTracked&& any_tracked) {
  const tenon_keyset carried = keys & ~(snapshot.include | thread.include);
  if ((carried & base::kAutogradBit) == 0 || any_tracked()) return keys;
  return keys & ~base::kAutogradBit;
}

/// Finds the kernel for the keys of a call. Most calls have the plain keys, for which a comparison
/// suffices. Returns false if the write path must continue: for operators that write an argument,
/// for tensors that may be tracked, and for slots without a kernel.
[[gnu::always_inline]] inline bool find_kernel(const Snapshot& snapshot, const ThreadRecord& thread,
                                               tenon_keyset keys,
                                               const Kernel** out_kernel) noexcept {
  // plain tensors, no guards
  if (keys == snapshot.plain) [[likely]] {
    *out_kernel = snapshot.kernel(-1);
    return true;
  }
  // writes an argument, or may be tracked
  if (((snapshot.flags & thread.slow_flags) | (keys & base::kAutogradBit)) != 0) return false;
  const int64_t number = snapshot.slots[slot_of(keys)];
  if (number >= 0) return false;
  *out_kernel = snapshot.kernel(number);
  return true;
}

inline uint64_t stack_counts(const tenon_stack& stack) noexcept {
  uint64_t counts;
  __builtin_memcpy(&counts, &stack.nargs, sizeof counts);
  return counts;
}
static_assert(offsetof(tenon_stack, nrets) == offsetof(tenon_stack, nargs) + 4);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "counts are compared as one word");

/// Returns true if the results match the operator's schema, as far as one comparison can tell.
[[gnu::always_inline]] inline bool results_match(const tenon_op& op,
                                                 const tenon_stack& stack) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // As in can_enter(): one comparison with memory suffices for operators without results.
  static_assert(kNoResults == 0);
  bool none;
  asm volatile("cmpl $0, %1" : "=@ccz"(none) : "m"(op.results));
  if (none) return true;
  const auto wanted = static_cast<uint32_t>(op.results.load(std::memory_order_relaxed));
#else
  const auto wanted = static_cast<uint32_t>(op.results.load(std::memory_order_relaxed));
  if (wanted == kNoResults) return true;
#endif
  // The operator may have been redefined, with results, while its old kernel ran.
  if (stack.rets == nullptr) return false;
  uint32_t actual;
  __builtin_memcpy(&actual, stack.rets, sizeof actual);
  if (actual != wanted) return false;
  // A tensor handle must not be NULL; a number may be 0.
  return stack.rets->as.words[0] != 0 || stack.rets->tag != TENON_TAG_TENSOR;
}

/// Where the error of a failed call is stored.
enum class ErrorTarget { kThreadSlot, kStack };

/// The fast path of calls whose tensors are not one to three leading arguments. Not inlined:
/// inlining it slows the other calls more than the jump costs here.
tenon_status call_scan(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                       RunningPlace* place, const Snapshot* snapshot);
/// Continue calls for which find_kernel() or find_kernel_below() found no kernel: operators that
/// write an argument, tracked tensors, fallbacks, and missing kernels. See write_path.cpp.
tenon_status call_write(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                        RunningPlace* place, const Snapshot* snapshot);
tenon_status redispatch_write(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                              RunningPlace* place, const Snapshot* snapshot);
/// The slow path: everything that the fast path leaves out. call_slow() enters the call;
/// call_entered() continues a call that has been entered. Functions that run a kernel are not
/// noexcept, because a forced unwind (pthread_exit, cancellation) passes through them.
tenon_status call_slow(const tenon_op* op, tenon_stack* stack);
tenon_status call_entered(const tenon_op* op, tenon_stack* stack, ThreadRecord* thread,
                          RunningPlace* place, const Snapshot* snapshot);
tenon_status redispatch_slow(const tenon_op* op, tenon_keyset keys, tenon_stack* stack);
tenon_status redispatch_entered(const tenon_op* op, tenon_keyset keys, tenon_stack* stack,
                                ThreadRecord* thread, RunningPlace* place,
                                const Snapshot* snapshot);
/// Finish a call whose kernel failed or whose results need a closer look, and leave the call.
tenon_status finish_call(const tenon_op* op, tenon_stack* stack, RunningPlace* place,
                         tenon_status status) noexcept;
tenon_status finish_redispatch(const tenon_op* op, tenon_stack* stack, RunningPlace* place,
                               tenon_status status) noexcept;

/// Runs the kernel that was picked for a call and leaves the call.
[[gnu::always_inline]] inline tenon_status run_kernel(const tenon_op* op, const Kernel* kernel,
                                                      tenon_keyset keys, tenon_stack* stack,
                                                      RunningPlace* place,
                                                      decltype(finish_call)* finish) {
  TENON_DCHECK(kernel != nullptr && kernel->entry.boxed != nullptr);
  base::set_running(place, kernel);
  tenon_status status = kernel->entry.boxed(kernel->entry.ctx, op, keys, stack);
  const bool good = status == TENON_OK && results_match(*op, *stack);
  TENON_IN_REGISTER(status);
  if (!good) [[unlikely]] {
    return finish(op, stack, place, status);
  }
  // Find the record by the place's address: cheaper than keeping it in a register across the
  // kernel.
  base::leave(base::record_of(place), place);
  return status;
}

/// Calls an operator; see tenon_op_call_fast.
[[gnu::always_inline]] inline tenon_status call(const tenon_op* op, tenon_stack* stack) {
  ThreadRecord* thread = base::current_thread();
  RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  // first call of this thread, a full stack, or a thread kept on the slow path
  if (!base::can_enter(thread, place)) [[unlikely]] {
    return call_slow(op, stack);
  }
  base::push_owner(thread, place, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  // tensors that are not one to three leading arguments
  if (!extract_plain_keys(*snapshot, stack_counts(*stack), ~uint64_t{0}, stack->args, &keys))
      [[unlikely]] {
    return call_scan(op, stack, thread, place, snapshot);
  }
  keys = fast_keys(*snapshot, *thread, keys);
  const Kernel* kernel;
  // writes an argument, tracked, or no kernel in the slot
  if (!find_kernel(*snapshot, *thread, keys, &kernel)) [[unlikely]] {
    return call_write(op, keys, stack, place, snapshot);
  }
  return run_kernel(op, kernel, keys, stack, place, finish_call);
}

/// Returns true if the thread runs no kernel. The keys of a redispatch are then the caller's free
/// choice instead of those of a running call, so the arguments must be checked.
[[gnu::always_inline]] inline bool is_outermost(const ThreadRecord* thread,
                                                const RunningPlace* top) noexcept {
  return top == thread->running;
}

/// Calls the kernel that serves a key set, from inside a kernel; see tenon_op_redispatch.
[[gnu::always_inline]] inline tenon_status redispatch(const tenon_op* op, tenon_keyset keys,
                                                      tenon_stack* stack) {
  ThreadRecord* thread = base::current_thread();
  RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, place) || is_outermost(thread, place)) [[unlikely]] {
    return redispatch_slow(op, keys, stack);
  }
  base::push_owner(thread, place, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  keys &= snapshot->mask;
  if (stack_counts(*stack) != snapshot->counts) [[unlikely]] {
    return redispatch_entered(op, keys, stack, thread, place, snapshot);
  }
  const Kernel* kernel;
  if (!find_kernel_below(*snapshot, keys, &kernel)) [[unlikely]] {
    return redispatch_write(op, keys, stack, place, snapshot);
  }
  return run_kernel(op, kernel, keys, stack, place, finish_redispatch);
}

enum class BeginKind { kCall, kRedispatch };

/// Like begin_keys(), for a redispatch that cannot be entered at once or that comes from outside of
/// all kernels. In the latter case the entry has no typed form, and its boxed form checks the
/// arguments.
const tenon_entry* begin_keys_slow(const tenon_op* op, tenon_keyset keys, tenon_frame* frame);
/// Runs the picked kernel of a call that has been entered, and leaves the call.
tenon_status run_picked(const tenon_op* op, const Pick& picked, tenon_stack* stack,
                        ThreadRecord* thread, RunningPlace* place, BeginKind kind);
/// Returns true if the numbers of arguments and results on a stack match the operator.
bool counts_fit(const Snapshot& snapshot, const tenon_stack& stack) noexcept;
/// The slow path of all begins, which enters the call. `keys` are the keys of the arguments for a
/// call, the final keys for a redispatch; those in `dropped` are removed. On failure, returns NULL
/// with the error in the thread's error slot and leaves the call.
const tenon_entry* begin_slow(const tenon_op* op, tenon_keyset keys, tenon_keyset dropped,
                              tenon_frame* frame, BeginKind kind);
/// Begins a call of an operator without tensor arguments; takes the backend from `device`, CPU if
/// NULL.
const tenon_entry* begin_factory(const tenon_op* op, const tenon_device* device,
                                 tenon_frame* frame);

[[gnu::always_inline]] inline const tenon_entry* fill_frame(const tenon_op* op,
                                                            const Kernel* kernel, tenon_keyset keys,
                                                            ThreadRecord* thread,
                                                            RunningPlace* place,
                                                            tenon_frame* frame) noexcept {
  TENON_DCHECK(kernel != nullptr && base::record_of(place) == thread);
  frame->op = op;
  frame->ctx = kernel->entry.ctx;
  frame->keys = keys;
  frame->leave_word = reinterpret_cast<void**>(&thread->top);
  frame->leave_value = place;
  frame->error = nullptr;
  frame->state = 0;
  return &kernel->entry;
}
static_assert(sizeof(std::atomic<RunningPlace*>) == sizeof(void*));

/// Continue a typed call that has been entered and whose keys are not the plain ones: look up the
/// slot and count writes. Out of line: this costs such calls some instructions and saves registers
/// in all others.
const tenon_entry* begin1_write(const tenon_op* op, const tenon_tensor* a, tenon_frame* frame,
                                RunningPlace* place, const Snapshot* snapshot);
const tenon_entry* begin2_write(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                tenon_frame* frame, RunningPlace* place, const Snapshot* snapshot);
const tenon_entry* begin3_write(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                const tenon_tensor* c, tenon_frame* frame, RunningPlace* place,
                                const Snapshot* snapshot);
const tenon_entry* begin_n_write(const tenon_op* op, const tenon_tensor* const* tensors,
                                 int64_t count, tenon_frame* frame, RunningPlace* place,
                                 const Snapshot* snapshot);
/// Begins a redispatch that has been entered and does not go to the backend.
const tenon_entry* begin_keys_pick(const tenon_op* op, tenon_keyset keys, tenon_frame* frame,
                                   RunningPlace* place, const Snapshot* snapshot);
/// Begins a call of up to three tensors of which some are absent, or that cannot be entered at
/// once.
const tenon_entry* begin_absent(const tenon_op* op, const tenon_tensor* a, const tenon_tensor* b,
                                const tenon_tensor* c, tenon_frame* frame);

/// Begins a typed call whose tensors carry `keys`. `slow()` starts over if the call cannot be
/// entered at once; `write(place, snapshot)` continues if the keys are not the plain ones.
template <class Slow, class Write>
[[gnu::always_inline]] inline const tenon_entry* begin(const tenon_op* op, tenon_keyset keys,
                                                       tenon_frame* frame, Slow&& slow,
                                                       Write&& write) {
  ThreadRecord* thread = base::current_thread();
  RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, place)) [[unlikely]] {
    return slow();
  }
  base::push_owner(thread, place, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  keys = fast_keys(*snapshot, *thread, keys);
  if (keys != snapshot->plain) [[unlikely]] {
    return write(place, snapshot);
  }
  const Kernel* kernel = snapshot->kernel(-1);
  base::set_running(place, kernel);
  return fill_frame(op, kernel, keys, thread, place, frame);
}

/// See tenon_frame_begin1.
[[gnu::always_inline]] inline const tenon_entry* begin1(const tenon_op* op, const tenon_tensor* a,
                                                        tenon_frame* frame) {
  const auto slow = [&] { return begin_absent(op, a, nullptr, nullptr, frame); };
  if (a == nullptr) [[unlikely]] {
    return slow();
  }
  return begin(op, tensor_keys(a), frame, slow, [&](auto* place, auto* snapshot) {
    return begin1_write(op, a, frame, place, snapshot);
  });
}

/// See tenon_frame_begin2.
[[gnu::always_inline]] inline const tenon_entry* begin2(const tenon_op* op, const tenon_tensor* a,
                                                        const tenon_tensor* b, tenon_frame* frame) {
  const auto slow = [&] { return begin_absent(op, a, b, nullptr, frame); };
  if (a == nullptr || b == nullptr) [[unlikely]] {
    return slow();
  }
  return begin(op, tensor_keys(a) | tensor_keys(b), frame, slow, [&](auto* place, auto* snapshot) {
    return begin2_write(op, a, b, frame, place, snapshot);
  });
}

/// See tenon_frame_begin3.
[[gnu::always_inline]] inline const tenon_entry* begin3(const tenon_op* op, const tenon_tensor* a,
                                                        const tenon_tensor* b,
                                                        const tenon_tensor* c, tenon_frame* frame) {
  const auto slow = [&] { return begin_absent(op, a, b, c, frame); };
  if (a == nullptr) [[unlikely]] {
    return slow();
  }
  if (b == nullptr) [[unlikely]] {
    return slow();
  }
  if (c == nullptr) [[unlikely]] {
    return slow();
  }
  return begin(op, tensor_keys(a) | tensor_keys(b) | tensor_keys(c), frame, slow,
               [&](auto* place, auto* snapshot) {
                 return begin3_write(op, a, b, c, frame, place, snapshot);
               });
}

/// Returns the keys of tensors of which some may be absent.
inline tenon_keyset tensors_keys(const tenon_tensor* const* tensors, int64_t count) noexcept {
  tenon_keyset keys = 0;
  for (int64_t i = 0; i < count; ++i) keys |= tensors[i] != nullptr ? tensor_keys(tensors[i]) : 0;
  return keys;
}

/// Begins a typed call of any number of tensors, some of which may be absent.
[[gnu::always_inline]] inline const tenon_entry* begin_n(const tenon_op* op,
                                                         const tenon_tensor* const* tensors,
                                                         int64_t count, tenon_frame* frame) {
  const tenon_keyset keys = tensors_keys(tensors, count);
  const auto slow = [&] { return begin_slow(op, keys, 0, frame, BeginKind::kCall); };
  return begin(op, keys, frame, slow, [&](auto* place, auto* snapshot) {
    return begin_n_write(op, tensors, count, frame, place, snapshot);
  });
}

/// Begins a typed redispatch; see tenon_frame_begin_keys.
[[gnu::always_inline]] inline const tenon_entry* begin_keys(const tenon_op* op, tenon_keyset keys,
                                                            tenon_frame* frame) {
  ThreadRecord* thread = base::current_thread();
  RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, place) || is_outermost(thread, place)) [[unlikely]] {
    return begin_keys_slow(op, keys, frame);
  }
  base::push_owner(thread, place, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  keys &= snapshot->mask;
  if (keys != snapshot->below) [[unlikely]] {
    return begin_keys_pick(op, keys, frame, place, snapshot);
  }
  const Kernel* kernel = snapshot->kernel(snapshot->below_number);
  base::set_running(place, kernel);
  return fill_frame(op, kernel, keys, thread, place, frame);
}

/// Bits of tenon_frame::state: the number and tags of the arguments have been checked; the frame
/// has an entry that replaces the kernel's, for a profile or to check a redispatch's arguments.
constexpr uint64_t kArgumentsChecked = 1;
constexpr uint64_t kHasStandIn = 2;

/// begin_boxed() for calls whose tensors are not one to three leading arguments, and its slow path,
/// which enters the call. See call_scan().
const tenon_entry* begin_boxed_scan(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                    tenon_frame* frame, ThreadRecord* thread, RunningPlace* place);
const tenon_entry* begin_boxed_slow(const tenon_op* op, const tenon_value* args, int64_t nargs,
                                    tenon_frame* frame);
/// See call_write(). The number of arguments matches the schema.
const tenon_entry* begin_boxed_write(const tenon_op* op, const tenon_value* args,
                                     tenon_frame* frame, RunningPlace* place,
                                     const Snapshot* snapshot, tenon_keyset keys);

/// Begins a call for boxed arguments; see tenon_frame_begin_boxed.
[[gnu::always_inline]] inline const tenon_entry* begin_boxed(const tenon_op* op,
                                                             const tenon_value* args, int64_t nargs,
                                                             tenon_frame* frame) {
  ThreadRecord* thread = base::current_thread();
  RunningPlace* place = thread->top.load(std::memory_order_relaxed);
  if (!base::can_enter(thread, place)) [[unlikely]] {
    return begin_boxed_slow(op, args, nargs, frame);
  }
  base::push_owner(thread, place, op);
  const Snapshot* snapshot = op->snapshot.load(std::memory_order_acquire);
  tenon_keyset keys;
  if (!extract_plain_keys(*snapshot, static_cast<uint64_t>(nargs), UINT32_MAX, args, &keys))
      [[unlikely]] {
    return begin_boxed_scan(op, args, nargs, frame, thread, place);
  }
  keys = fast_keys(*snapshot, *thread, keys);
  const Kernel* kernel;
  if (!find_kernel(*snapshot, *thread, keys, &kernel)) [[unlikely]] {
    return begin_boxed_write(op, args, frame, place, snapshot, keys);
  }
  base::set_running(place, kernel);
  const tenon_entry* entry = fill_frame(op, kernel, keys, thread, place, frame);
  frame->state = kArgumentsChecked;
  return entry;
}

/// Returns the kernel that runs, or is about to run, at a place.
inline const Kernel* running_kernel(const RunningPlace* place) noexcept {
  const uintptr_t shown = base::shown_at(*place, std::memory_order_relaxed);
  TENON_DCHECK((shown & base::kPicking) == 0);
  return reinterpret_cast<const Kernel*>(shown);
}
/// Returns the kernel of a begun frame, which its place holds until the frame is left.
inline const Kernel* running_kernel(const tenon_frame* frame) noexcept {
  return running_kernel(static_cast<const RunningPlace*>(frame->leave_value));
}

/// The slow path of call_frame(): unchecked arguments, or an entry other than the kernel's.
tenon_status call_frame_slow(tenon_frame* frame, tenon_stack* stack);
/// Checks the outcome of a kernel that failed or whose results need a closer look. Does not leave
/// the frame.
tenon_status finish_frame(const tenon_frame* frame, tenon_stack* stack,
                          tenon_status status) noexcept;

/// Calls the kernel of a frame; see tenon_frame_call.
[[gnu::always_inline]] inline tenon_status call_frame(tenon_frame* frame, tenon_stack* stack) {
  if (frame->state != kArgumentsChecked) [[unlikely]] {
    return call_frame_slow(frame, stack);
  }
  const tenon_entry* entry = &running_kernel(frame)->entry;
  const tenon_op* op = frame->op;
  const tenon_status status = entry->boxed(entry->ctx, op, frame->keys, stack);
  // begin_boxed() checked only the arguments, so the number of results is compared here.
  const uint64_t wanted = op->results.load(std::memory_order_relaxed);
  if (status != TENON_OK || wanted >> 32 != stack->nrets || !results_match(*op, *stack))
      [[unlikely]] {
    return finish_frame(frame, stack, status);
  }
  return status;
}

/// Entry points of tenon/op.h that are not performance-critical.
tenon_status end_frame(tenon_frame* frame, tenon_status status) noexcept;
tenon_status end_frame_without_result(tenon_frame* frame, int64_t index) noexcept;
tenon_status call_checked(const tenon_op* op, tenon_stack* stack);
tenon_status call_key(const tenon_op* op, tenon_key key, tenon_stack* stack);
tenon_status check_arguments(const tenon_op* op, const tenon_value* args, int64_t nargs) noexcept;
tenon_status check_keys(const tenon_op* op, tenon_keyset keys, const tenon_value* args,
                        int64_t nargs) noexcept;
tenon_status check_results(const tenon_op* op, const tenon_value* rets, int64_t nrets) noexcept;
tenon_status compute_keys(const tenon_op* op, const tenon_value* args, int64_t nargs,
                          tenon_keyset* out_keys) noexcept;

}  // namespace tenon::dispatch
