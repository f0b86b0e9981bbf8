// SPDX-License-Identifier: Apache-2.0
// Reclamation: frees what calls may still use once no thread's stack of running kernels shows it.
//
// A call pushes its operator's address with kPicking set, loads the operator's snapshot, picks a
// kernel and overwrites the place with it; leaving pops. A removal publishes what replaces the old,
// then hands the old to retire(), which makes one barrier on all threads, scans all stacks once and
// never waits. What is still in use is freed later, by slow paths, retire(), reap() or drain().
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spread_pins.h"
#include "base/thread.h"

namespace tenon::base {

/// One thing that a removal replaced: a snapshot, a kernel or a closed registration.
/// Embedded in (or allocated with) what it frees.
struct Retired {
  Retired* next = nullptr;      // of the list given to retire()
  const void* owner = nullptr;  // in use while a stack is picking from this operator
  const void* group = nullptr;  // what drain() waits for, such as a library; NULL: none
  void (*reclaim)(Retired* self) = nullptr;  // frees it; no lock is held; must not throw
  uint64_t generation : 45 = 0;              // set by retire()
  uint64_t fenced : 1 = 0;                   // set by retire()
  uint64_t is_pinnable : 1 = 0;              // is a Pinnable
  uint64_t any_owner : 1 = 0;                // in use while a stack is picking from any operator
  uint64_t note : 16 = 0;                    // for reclaim(), to find what this belongs to
};

/// A kernel, which more than running calls may hold: it is freed after its last pin.
struct Pinnable : Retired {
  const void* kernel = nullptr;  // in use while a stack shows this; NULL: none
  const char* label = nullptr;   // stable text that names it in messages; may be NULL
  std::atomic<int64_t> pins{0};
  SpreadPins* spread_pins = nullptr;  // others, for what is pinned all the time; go with it
  Pinnable() noexcept { is_pinnable = 1; }
};

/// Adds a pin. The caller is in a call that runs it, holds a pin already, or keeps it from being
/// retired.
inline void pin(Pinnable* held) noexcept { held->pins.fetch_add(1, std::memory_order_relaxed); }
/// Drops a pin. The last one of what was retired frees it here: the caller holds no lock.
void unpin(Pinnable* held) noexcept;

/// A running kernel, a pick in progress or a pin that keeps a group from being freed.
struct Blocker {
  int64_t thread_id = 0;
  const char* label = nullptr;
  bool pinned = false;
};

enum class Drained { kDone, kTimeout, kInsideKernel };

/// A call that has been entered: `place` is what leave() wants. `place` NULL: the call cannot
/// start, because it nests too deep (`thread` not NULL) or memory is short (`thread` NULL).
struct Entered {
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

/// Tells whether the next call of `thread` may skip enter_slow(): the stack of running kernels has
/// a free place, nobody poked the thread, and its own stack is not nearly used up. Stacks above the
/// thread's own (fibers, signal stacks) have no limit but the depth; those below take the slow
/// path, which knows them.
[[gnu::always_inline]] inline bool can_enter(const ThreadRecord* thread,
                                             const RunningPlace* top) noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
  // The compiler loads an atomic before it compares; the processor compares with memory at once.
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

/// Marks a pick from `owner` in progress. `top` is thread->top, which is moved first: a signal
/// handler that calls operators in between then works above this entry.
inline RunningPlace* push_owner(ThreadRecord* thread, RunningPlace* top,
                                const void* owner) noexcept {
  TENON_DCHECK((reinterpret_cast<uintptr_t>(owner) & kMarks) == 0);
  TENON_DCHECK(record_of(top) == thread && top < thread->running + kMaxDepth);
  thread->top.store(top + 1, std::memory_order_release);
  // Owners are aligned: adding sets the bit.
  top->store(reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(owner) + kPicking),
             std::memory_order_release);
  // The snapshot is loaded after this; the barrier of retire() orders it for the processor.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return top;
}

/// Replaces the mark of a pick by what was picked (NULL for nothing).
inline void set_running(RunningPlace* place, const void* kernel) noexcept {
  TENON_DCHECK((reinterpret_cast<uintptr_t>(kernel) & kMarks) == 0);
  TENON_DCHECK(place < record_of(place)->top.load(std::memory_order_relaxed));  // entered, not left
  place->store(const_cast<void*>(kernel), std::memory_order_release);
}

/// Leaves a call, and whatever was entered above it and never left.
inline void leave(ThreadRecord* thread, RunningPlace* place) noexcept {
  TENON_DCHECK(record_of(place) == thread && thread == current_thread());
  TENON_DCHECK(place < thread->top.load(std::memory_order_relaxed));  // each call is left once
  thread->top.store(place, std::memory_order_release);
}

/// Does what the fast path cannot: makes the thread's record, answers a poke, frees what waits,
/// fences, checks the depth; then marks the pick as push_owner() does.
Entered enter_slow(const void* owner) noexcept;

/// Enters a call; see Entered.
inline Entered enter(const void* owner) noexcept {
  ThreadRecord* thread = current_thread();
  RunningPlace* top = thread->top.load(std::memory_order_relaxed);
  if (!can_enter(thread, top)) return enter_slow(owner);
  return {thread, push_owner(thread, top, owner)};
}

/// Tells whether the calling thread is inside a kernel.
inline bool in_kernel() noexcept {
  const ThreadRecord* thread = current_thread();
  return thread->top.load(std::memory_order_relaxed) != thread->running;
}

/// Number of calls that the calling thread is inside of.
inline int32_t call_depth() noexcept {
  const ThreadRecord* thread = current_thread();
  return static_cast<int32_t>(thread->top.load(std::memory_order_relaxed) - thread->running);
}

/// Takes a list of what was replaced, after its replacement was published. Frees what no thread
/// uses before it returns, the rest later. Never waits. The caller holds no lock: reclaim() runs
/// here.
void retire(Retired* list) noexcept;

/// The same for what nobody waits for and whose freeing nobody sees: makes a barrier for many of
/// them together, with the next retire(), reap() or drain() at the latest.
void retire_later(Retired* list) noexcept;

/// Frees what has waited and is unused by now. The caller holds no lock.
void reap() noexcept;
void reap_if_pending() noexcept;

/// Waits until all of a group has been freed, at most `timeout_ns` (negative: for ever). Inside a
/// kernel it does not wait but tells. `out_blocker` says who is in the way when not done.
Drained drain(const void* group, int64_t timeout_ns, Blocker* out_blocker) noexcept;

/// Sends the next call of every thread into its slow path. The caller holds thread.cpp's lock.
void poke_all_threads() noexcept;

/// Frees what has lost its last pin. The caller holds no lock.
void reap_unpinned() noexcept;
/// Orders memory on this thread like the barrier that a removal makes on all.
void full_fence() noexcept;

/// For thread.cpp: process start, thread start, fork.
void start_barriers() noexcept;
void start_thread(ThreadRecord* thread) noexcept;
void lock_for_fork() noexcept;
void unlock_after_fork(bool in_child) noexcept;

/// For tests: behaves from now on as if the system refused the barrier call.
void refuse_barriers_for_testing() noexcept;

}  // namespace tenon::base
