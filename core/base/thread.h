// SPDX-License-Identifier: Apache-2.0
// What the library keeps for each thread: key words, error slot and the stack of running kernels.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.h"
#include "tenon/error.h"
#include "tenon/grad_mode.h"
#include "tenon/introspect.h"
#include "tenon/key.h"

namespace tenon::base {

/// One place of the stack of running kernels: the kernel that runs, or its operator's address while
/// the kernel is being picked (see reclaim.h); with marks in the address's low bits.
using RunningPlace = std::atomic<void*>;
constexpr uintptr_t kPicking = 1;  // an operator's address
constexpr uintptr_t kRaised = 2;   // the error slot got an error since the call began
constexpr uintptr_t kMarks = kPicking | kRaised;

/// What a place shows, without kRaised.
inline uintptr_t shown_at(const RunningPlace& place, std::memory_order order) noexcept {
  return reinterpret_cast<uintptr_t>(place.load(order)) & ~kRaised;
}

struct ReleaseQueue;

constexpr int kMaxDepth = 4096;

/// Kinds of handles that are counted, TENON_HANDLE_*.
constexpr uint32_t kHandleCount = 18;

/// Key words of a thread that has entered no guard.
constexpr uint64_t functionality_bit(uint32_t number) {
  return uint64_t{1} << (TENON_BACKEND_BITS + number);
}
constexpr uint64_t kDefaultInclude = functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT) |
                                     functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
constexpr uint64_t kDefaultExclude = functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);
constexpr uint64_t kAutogradBit = functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD);

/// What a grad mode takes out of a thread's calls, but for operators with an Autograd kernel of a
/// user's own. While tangents are followed, only inference mode takes something away.
constexpr uint64_t excluded_by(uint32_t grad_mode, bool follows_tangents) {
  const bool stays = grad_mode == TENON_GRAD_MODE_ON ||
                     (follows_tangents && (grad_mode & TENON_GRAD_MODE_INFERENCE) == 0);
  return stays ? 0 : kAutogradBit;
}

/// Flags of operators (of dispatch::Snapshot) whose calls leave the fast path where their keys are
/// not the usual ones: always, or while the grad mode takes something away.
constexpr uint16_t kSlowWrites = 4;
constexpr uint16_t kSlowOwnAutograd = 16;
constexpr uint16_t slow_flags_of(uint32_t grad_mode) {
  return grad_mode == TENON_GRAD_MODE_ON ? kSlowWrites : kSlowWrites | kSlowOwnAutograd;
}

/// Functionalities declared at run time that are included or excluded by default on each thread.
/// Bits are only ever added. A thread copies new ones into its own words when it starts, or on the
/// slow path of its next call: add_thread_default() sends every thread there. The fast path never
/// reads them. Saved words (guards, thread states) get new bits when they are restored.
struct LateDefaults {
  std::atomic<uint64_t> included{0};  // written first
  std::atomic<uint64_t> known{0};
};
extern LateDefaults late_defaults;

/// What upper layers keep per thread, in ThreadRecord::locals. The owner of one clears it in
/// an exit hook.
enum ThreadLocal : uint32_t {
  kLocalListener,     // dispatch: the thread's profile listener
  kLocalTensorCache,  // tensor: recycled small tensors
  kLocalThreadState,  // dispatch: what later layers hang on a thread
  kLocalClosed,       // dispatch: who wants to know of libraries closed on the thread
  kLocalOpened,       // dispatch: who wants to know of libraries opened on the thread
  kLocalRecording,    // dispatch: the thread's profiles
  kLocalSlots,        // dispatch: the words that layers have on the thread
  kLocalPass,         // autograd: the backward pass that runs
  kLocalSequence,     // autograd: the sequence number of the newest node
  kLocalCount = 12
};

/// One thread's record: mapped on first use, recycled when the thread exits, never unmapped, so
/// that other threads may scan it at any time. The first line is all that a call touches.
struct alignas(64) ThreadRecord {
  std::atomic<RunningPlace*> top{nullptr};    // next free place of `running`
  std::atomic<RunningPlace*> limit{nullptr};  // its end, or NULL: the next call goes the slow path
  uint64_t include = kDefaultInclude;
  uint64_t keep = ~kDefaultExclude;  // what neither guards nor the grad mode take away
  uint64_t stack_low = 0;            // calls start above this address
  std::atomic<uint64_t> ack{0};      // newest removal that this thread knows of, see reclaim.h
  tenon_error* error = nullptr;      // the error slot
  uint16_t grad_mode = TENON_GRAD_MODE_ON;
  uint16_t slow_flags = slow_flags_of(TENON_GRAD_MODE_ON);
  uint32_t nesting = 0;  // guards and thread states entered and not left

  uint64_t exclude = kDefaultExclude;  // what guards take away, whatever the grad mode
  RunningPlace* running = nullptr;     // kMaxDepth places; NULL in the stand-in
  uint64_t known_defaults = 0;         // which of late_defaults include and keep have taken over
  ThreadRecord* next = nullptr;        // all records, newest first
  std::atomic<uint32_t> in_use{0};     // 0: waits to be recycled
  std::atomic<uint32_t> fenced{0};     // 1: each call of this thread makes a fence (no membarrier)
  std::atomic<int64_t> thread_id{0};   // the kernel's number, for messages
  uint64_t stack_bottom = 0;           // lowest mapped address of the stack, 0 unknown
  uint64_t stack_end = 0;              // where `stack_low` may go at most, see has_stack_left()
  uint32_t slow_requests = 0;          // bits of SlowRequest: calls stay on the slow path
  bool follows_tangents = false;       // a dual level is open: calls reach Autograd for tangents
  ReleaseQueue* endings = nullptr;     // objects that end one after the other: release_queue.h
  std::atomic<int64_t> live[kHandleCount] = {};  // live_count.h
  void* locals[kLocalCount] = {};

  // spread_pins.h: tables made on demand, which stay with the record. The last one is never made.
  static constexpr uint32_t kPinParts = 32;
  static constexpr uint32_t kPinsInPart = 128;
  std::atomic<std::atomic<int64_t>*> pins[kPinParts + 1] = {};
};

/// Records lie at multiples of this, with their places within it, so that a place tells its record.
constexpr uintptr_t kRecordAlignment = 65536;

/// The record that a place of `running` belongs to. Needs no thread-local variable.
inline ThreadRecord* record_of(const RunningPlace* place) noexcept {
  TENON_DCHECK(place != nullptr);
  return reinterpret_cast<ThreadRecord*>(reinterpret_cast<uintptr_t>(place) &
                                         ~(kRecordAlignment - 1));
}

/// Reasons for which a thread wants all its calls on the slow path.
enum SlowRequest : uint32_t { kSlowProfile = 1u, kSlowRecord = 2u };

/// The library's one thread-local variable. Points to `no_thread_record` on threads never seen.
extern __thread ThreadRecord* thread_self __attribute__((visibility("hidden")));

/// Stands in for threads without record: default keys, a full stack, no error. Written by nobody,
/// but for `live`.
extern ThreadRecord no_thread_record;

/// The calling thread's record, or the stand-in. Never NULL.
inline ThreadRecord* current_thread() noexcept { return thread_self; }
inline bool has_thread_record() noexcept { return thread_self != &no_thread_record; }

/// The calling thread's grad mode, TENON_GRAD_MODE_*.
inline uint32_t grad_mode() noexcept { return current_thread()->grad_mode; }
/// Whether tensors made in a grad mode, or by the calling thread, are inference tensors.
constexpr bool makes_inference_tensors(uint32_t grad_mode) noexcept {
  return (grad_mode & TENON_GRAD_MODE_INFERENCE) != 0;
}
inline bool makes_inference_tensors() noexcept { return makes_inference_tensors(grad_mode()); }

/// Sets what guards take away, the grad mode, or whether tangents are followed; `keep` follows.
inline void set_exclude(ThreadRecord* thread, uint64_t exclude) noexcept {
  TENON_DCHECK((exclude & ((uint64_t{1} << TENON_BACKEND_BITS) - 1)) == 0);
  thread->exclude = exclude;
  thread->keep = ~(exclude | excluded_by(thread->grad_mode, thread->follows_tangents));
}
inline void set_follows_tangents(ThreadRecord* thread, bool follows) noexcept {
  TENON_DCHECK(thread != &no_thread_record);
  thread->follows_tangents = follows;
  set_exclude(thread, thread->exclude);
}
inline void set_grad_mode(ThreadRecord* thread, uint32_t mode) noexcept {
  TENON_DCHECK(mode <= TENON_GRAD_MODE_INFERENCE_ON);
  TENON_DCHECK(thread != &no_thread_record);
  thread->grad_mode = static_cast<uint16_t>(mode);
  thread->slow_flags = slow_flags_of(mode);
  set_exclude(thread, thread->exclude);
}

/// The calling thread's own record, made on first use; NULL when memory is short.
ThreadRecord* own_thread_record() noexcept;
/// The same, or Error TENON_ERROR_OUT_OF_MEMORY.
ThreadRecord* make_required_thread_record();
inline ThreadRecord* require_thread_record() {
  return has_thread_record() ? current_thread() : make_required_thread_record();
}

/// Whether a call of the calling thread may start at the stack address `here`. Outside the thread's
/// own stack (a fiber, a signal stack) any may.
bool has_stack_left(ThreadRecord* thread, uint64_t here) noexcept;

/// All records ever made, including those that wait to be recycled (`in_use` 0).
ThreadRecord* first_thread_record() noexcept;

/// Asks for or gives up the slow path for all calls of the calling thread (which has a record).
void request_slow_calls(SlowRequest reason, bool wanted) noexcept;
/// What `limit` of the calling thread's record should be when nobody pokes it.
RunningPlace* resting_limit(ThreadRecord* thread) noexcept;

/// Gives a functionality that no set has had so far its default on all threads, those to come
/// included: they have it in their next call, wherever it is after this returns.
void add_thread_default(uint64_t functionality_bit, bool included);

/// Takes new defaults over into the calling thread's words.
void adopt_late_defaults(ThreadRecord* thread) noexcept;
inline void adopt_defaults(ThreadRecord* thread) noexcept {
  const uint64_t known = late_defaults.known.load(std::memory_order_acquire);
  if (thread->known_defaults != known) [[unlikely]] {
    adopt_late_defaults(thread);
  }
}

/// For tests and debug builds: stops where the calling thread's record contradicts itself.
void check_invariants(const ThreadRecord& thread) noexcept;

/// Runs `hook` on each thread that exits, while its record still works. `hook` must not fail.
/// At most 16 hooks; each once, however often it is added. It is for callers to add theirs where
/// they use it: a static variable that remembers it would hang children that are forked meanwhile.
using ThreadExitHook = void (*)(ThreadRecord* thread) noexcept;
void add_thread_exit_hook(ThreadExitHook hook);

}  // namespace tenon::base
