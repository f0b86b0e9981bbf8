// SPDX-License-Identifier: Apache-2.0
// Reclamation: frees objects that calls may still use, once no thread's stack of running kernels
// shows them.
//
// A call pushes its operator's address with kPicking set, loads the operator's snapshot, picks a
// kernel and overwrites the place with the kernel's address; leaving the call pops the place. A
// removal first publishes the replacement and then passes the old object to retire(), which makes
// one barrier on all threads, scans all stacks once and never waits. Objects still in use are freed
// later, by slow paths, retire(), reap() or drain().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spread_pins.h"
#include "base/thread.h"

namespace tenon::base {

/// An object that a removal replaced: a snapshot, a kernel or a closed registration. Embedded in,
/// or allocated with, the object that it frees.
struct Retired {
  Retired* next = nullptr;                   // of the list passed to retire()
  const void* owner = nullptr;               // in use while a stack is picking from this operator
  const void* group = nullptr;               // unit of drain(), such as a library; NULL: none
  void (*reclaim)(Retired* self) = nullptr;  // frees it; no lock is held; must not throw
  uint64_t generation : 45 = 0;              // set by retire()
  uint64_t fenced : 1 = 0;                   // set by retire()
  uint64_t is_pinnable : 1 = 0;              // the object is a Pinnable
  uint64_t any_owner : 1 = 0;                // in use while a stack is picking from any operator
  uint64_t note : 16 = 0;                    // free for the owner, such as a size for reclaim()
};

/// A kernel. It is freed once no call runs it and no pin holds it.
struct Pinnable : Retired {
  const void* kernel = nullptr;  // in use while a stack shows this address; NULL: none
  const char* label = nullptr;   // stable text for messages; may be NULL
  std::atomic<int64_t> pins{0};
  SpreadPins* spread_pins = nullptr;  // more counters, for frequent pins; freed with this
  Pinnable() noexcept { is_pinnable = 1; }
};

/// Adds a pin. The caller is in a call of the kernel, holds a pin already, or keeps the kernel from
/// being retired.
inline void pin(Pinnable* held) noexcept { held->pins.fetch_add(1, std::memory_order_relaxed); }
/// Drops a pin. The last pin of a retired object frees it here, so the caller must hold no lock.
void unpin(Pinnable* held) noexcept;

/// An obstacle to freeing a group: a running kernel, a pick in progress or a pin.
struct Blocker {
  int64_t thread_id = 0;
  const char* label = nullptr;
  bool pinned = false;
};

enum class DrainResult { kDone, kTimeout, kInsideKernel };

/// A call that has been entered; `place` is passed to leave(). A NULL `place` means that the call
/// cannot start, because it nests too deep (`thread` not NULL) or memory is short (`thread` NULL).
struct EnteredCall {
  ThreadRecord* thread;
  RunningPlace* place;
};

inline uint64_t stack_pointer() noexcept {
  uint64_t address;
#if defined(__x86_64__)
  asm("movq %%rsp, %0" : "=r"(address));
#elif defined(__aarch64__)
  asm("mov %0, sp" : "=r"(address));
#else
  address = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
#endif
  return address;
}

/// Returns true if the next call of `thread` may skip enter_slow(): the stack of running kernels
/// has a free place, the thread has not been poked, and its own stack is not nearly used up. Stacks
/// above the thread's own (fibers, signal stacks) are limited only by the depth; stacks below it
/// take the slow path, which recognizes them.
[[gnu::always_inline]] inline bool can_enter(const ThreadRecord* thread,
                                             const RunningPlace* top) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // Compares with memory directly: for an atomic, the compiler would emit a separate load.
  bool below_limit;
  asm volatile("cmpq %2, %1" : "=@ccb"(below_limit) : "r"(top), "m"(thread->limit));
  if (__builtin_expect(!below_limit, 0)) return false;
  bool stack_left;
  asm volatile("cmpq %%rsp, %1" : "=@ccb"(stack_left) : "m"(thread->stack_low));
  return __builtin_expect(stack_left, 1);
#else
  return __builtin_expect(
      top < thread->limit.load(std::memory_order_relaxed) && thread->stack_low < stack_pointer(),
      1);
#endif
}

/// Marks a pick from `owner` as in progress. `top` is thread->top, which is advanced first, so that
/// a signal handler that calls operators in between works above this entry.
inline RunningPlace* push_owner(ThreadRecord* thread, RunningPlace* top,
                                const void* owner) noexcept {
  TENON_DCHECK((reinterpret_cast<uintptr_t>(owner) & kMarks) == 0);
  TENON_DCHECK(record_of(top) == thread && top < thread->running + kMaxDepth);
  thread->top.store(top + 1, std::memory_order_release);
  // Owners are aligned, so that adding sets the bit.
  top->store(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(owner) + kPicking),
             std::memory_order_release);
  // The snapshot is loaded after this: the fence orders the compiler, and the barrier of retire()
  // the processor.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return top;
}

/// Replaces the mark of a pick by the picked kernel (NULL for none).
inline void set_running(RunningPlace* place, const void* kernel) noexcept {
  TENON_DCHECK((reinterpret_cast<uintptr_t>(kernel) & kMarks) == 0);
  TENON_DCHECK(place < record_of(place)->top.load(std::memory_order_relaxed));  // entered, not left
  place->store(const_cast<void*>(kernel), std::memory_order_release);
}

/// Leaves a call, and any call that was entered above it and never left.
inline void leave(ThreadRecord* thread, RunningPlace* place) noexcept {
  TENON_DCHECK(record_of(place) == thread && thread == current_thread());
  TENON_DCHECK(place < thread->top.load(std::memory_order_relaxed));  // each call is left once
  thread->top.store(place, std::memory_order_release);
}

/// Enters a call on the slow path: makes the thread's record, answers a poke, frees waiting
/// objects, fences, checks the depth, then marks the pick as push_owner() does.
EnteredCall enter_slow(const void* owner) noexcept;

/// Enters a call; see EnteredCall.
inline EnteredCall enter(const void* owner) noexcept {
  ThreadRecord* thread = current_thread();
  RunningPlace* top = thread->top.load(std::memory_order_relaxed);
  if (!can_enter(thread, top)) return enter_slow(owner);
  return {thread, push_owner(thread, top, owner)};
}

inline bool in_kernel() noexcept {
  const ThreadRecord* thread = current_thread();
  return thread->top.load(std::memory_order_relaxed) != thread->running;
}

/// Returns the number of calls that the calling thread is inside of.
inline int32_t call_depth() noexcept {
  const ThreadRecord* thread = current_thread();
  return static_cast<int32_t>(thread->top.load(std::memory_order_relaxed) - thread->running);
}

/// Takes a list of objects whose replacements have been published. Frees those that no thread uses
/// before it returns, and the remaining ones later. Never waits. The caller holds no lock, because
/// reclaim() runs here.
void retire(Retired* list) noexcept;

/// Like retire(), for objects whose freeing has no visible effect and is not waited for. Many of
/// them share one barrier, which is made with the next retire(), reap() or drain() at the latest.
void retire_later(Retired* list) noexcept;

/// Frees waiting objects that are unused by now. The caller holds no lock.
void reap() noexcept;
void reap_if_pending() noexcept;

/// Waits until all of a group has been freed, for at most `timeout_ns` (negative: without limit).
/// Inside a kernel, returns kInsideKernel instead of waiting. `out_blocker` describes what keeps
/// the group from being freed.
DrainResult drain(const void* group, int64_t timeout_ns, Blocker* out_blocker) noexcept;

/// Sends the next call of every thread to the slow path. The caller holds thread.cpp's lock.
void poke_all_threads() noexcept;

/// Frees retired objects that have lost their last pin. The caller holds no lock.
void reap_unpinned() noexcept;
/// Orders memory on this thread like the barrier that a removal makes on all threads.
void full_fence() noexcept;

/// For thread.cpp: process start, thread start, fork.
void start_barriers() noexcept;
void start_thread(ThreadRecord* thread) noexcept;
void lock_for_fork() noexcept;
void unlock_after_fork(bool in_child) noexcept;

/// For tests: from now on, behaves as if the system had refused the barrier call.
void refuse_barriers_for_testing() noexcept;

}  // namespace tenon::base
