// SPDX-License-Identifier: Apache-2.0
// The state of each thread: key state, error slot and the stack of running kernels.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.h"
#include "tenon/error.h"
#include "tenon/grad_mode.h"
#include "tenon/introspect.h"
#include "tenon/key.h"

namespace tenon::base {

/// One place of the stack of running kernels. It holds the address of the running kernel or, while
/// the kernel is being picked, of its operator (see reclaim.h). The low bits are marks.
using RunningPlace = std::atomic<void*>;
constexpr uintptr_t kPicking = 1;  // the address is an operator's
constexpr uintptr_t kRaised = 2;   // the error slot got an error since the call began
constexpr uintptr_t kMarks = kPicking | kRaised;

/// Returns the content of a place, without kRaised.
inline uintptr_t shown_at(const RunningPlace& place, std::memory_order order) noexcept {
  return reinterpret_cast<uintptr_t>(place.load(order)) & ~kRaised;
}

struct ReleaseQueue;

constexpr int kMaxDepth = 4096;

/// Number of kinds of handles that are counted, TENON_HANDLE_*.
constexpr uint32_t kHandleCount = 18;

/// Returns the bit of a functionality in a key set.
constexpr uint64_t functionality_bit(uint32_t number) {
  return uint64_t{1} << (TENON_BACKEND_BITS + number);
}
/// Keys that a thread without guards includes in every call or excludes from it.
constexpr uint64_t kDefaultInclude = functionality_bit(TENON_FUNCTIONALITY_BACKEND_SELECT) |
                                     functionality_bit(TENON_FUNCTIONALITY_AD_INPLACE_OR_VIEW);
constexpr uint64_t kDefaultExclude = functionality_bit(TENON_FUNCTIONALITY_AUTOCAST);
constexpr uint64_t kAutogradBit = functionality_bit(TENON_FUNCTIONALITY_AUTOGRAD);

/// Returns the keys that a grad mode removes from a thread's calls: Autograd unless the mode is on.
/// Operators with a user-defined Autograd kernel keep the key. While tangents are followed, only
/// the inference modes remove it.
constexpr uint64_t excluded_by(uint32_t grad_mode, bool follows_tangents) {
  const bool stays = grad_mode == TENON_GRAD_MODE_ON ||
                     (follows_tangents && (grad_mode & TENON_GRAD_MODE_INFERENCE) == 0);
  return stays ? 0 : kAutogradBit;
}

/// Flags of dispatch::Snapshot. A call whose keys are not the plain ones leaves the fast path if
/// its operator writes an argument (kSlowWrites) or, unless the grad mode is on, has a user-defined
/// Autograd kernel (kSlowOwnAutograd).
constexpr uint16_t kSlowWrites = 4;
constexpr uint16_t kSlowOwnAutograd = 16;
constexpr uint16_t slow_flags_of(uint32_t grad_mode) {
  return grad_mode == TENON_GRAD_MODE_ON ? kSlowWrites : kSlowWrites | kSlowOwnAutograd;
}

/// Functionalities declared at run time that are included or excluded by default on each thread.
/// Bits are only ever added. A thread copies new ones into its own key state when it starts, or on
/// the slow path of its next call, where add_thread_default() sends every thread. The fast path
/// never reads them. Saved key state (guards, thread states) gets new bits when it is restored.
struct LateDefaults {
  std::atomic<uint64_t> included{0};  // written before `known`
  std::atomic<uint64_t> known{0};
};
extern LateDefaults late_defaults;

/// Entries of ThreadRecord::locals: state that upper layers keep per thread. The owner of an entry
/// clears it in an exit hook.
enum ThreadLocal : uint32_t {
  kLocalListener,     // dispatch: the thread's profile listener
  kLocalTensorCache,  // tensor: recycled small tensors
  kLocalThreadState,  // dispatch: stacks of modes and transform layers
  kLocalClosed,       // dispatch: collector of libraries closed on the thread
  kLocalOpened,       // dispatch: collector of libraries opened on the thread
  kLocalRecording,    // dispatch: the thread's profiles
  kLocalSlots,        // dispatch: words of the thread slots
  kLocalPass,         // autograd: the running backward pass
  kLocalSequence,     // autograd: the sequence number of the newest node
  kLocalCount = 12
};

/// A thread's record: mapped on first use, recycled when the thread exits, never unmapped, so that
/// other threads may scan it at any time. A call touches only the first cache line.
struct alignas(64) ThreadRecord {
  std::atomic<RunningPlace*> top{nullptr};    // next free place of `running`
  std::atomic<RunningPlace*> limit{nullptr};  // end of `running`; NULL: slow path for the next call
  uint64_t include = kDefaultInclude;
  uint64_t keep = ~kDefaultExclude;  // mask of keys that neither guards nor the grad mode remove
  uint64_t stack_low = 0;            // calls must start above this address
  std::atomic<uint64_t> ack{0};      // newest removal known to this thread, see reclaim.h
  tenon_error* error = nullptr;      // the error slot
  uint16_t grad_mode = TENON_GRAD_MODE_ON;
  uint16_t slow_flags = slow_flags_of(TENON_GRAD_MODE_ON);
  uint32_t nesting = 0;  // number of entered guards and thread states

  uint64_t exclude = kDefaultExclude;  // keys that guards remove, whatever the grad mode
  RunningPlace* running = nullptr;     // kMaxDepth places; NULL in the stand-in
  uint64_t known_defaults = 0;         // late_defaults that include and keep contain
  ThreadRecord* next = nullptr;        // all records, newest first
  std::atomic<uint32_t> in_use{0};     // 0: can be recycled
  std::atomic<uint32_t> fenced{0};     // 1: calls of this thread make a fence (no membarrier)
  std::atomic<int64_t> thread_id{0};   // the system's number, for messages
  uint64_t stack_bottom = 0;           // lowest mapped address of the stack; 0: unknown
  uint64_t stack_end = 0;              // lower limit of `stack_low`, see has_stack_left()
  uint32_t slow_requests = 0;          // bits of SlowRequest, which keep calls on the slow path
  bool follows_tangents = false;       // a dual level is open: calls reach Autograd for tangents
  ReleaseQueue* endings = nullptr;     // queue of objects being destroyed: release_queue.h
  std::atomic<int64_t> live[kHandleCount] = {};  // live_count.h
  void* locals[kLocalCount] = {};

  // Counters of spread_pins.h, in tables that are allocated on demand and stay with the record. The
  // last entry stays NULL and serves pins that have no place.
  static constexpr uint32_t kPinParts = 32;
  static constexpr uint32_t kPinsInPart = 128;
  std::atomic<std::atomic<int64_t>*> pins[kPinParts + 1] = {};
};

/// Alignment of records. A record and its places share one aligned block, see record_of().
constexpr uintptr_t kRecordAlignment = 65536;

/// Returns the record that a place of `running` belongs to. Needs no thread-local variable.
inline ThreadRecord* record_of(const RunningPlace* place) noexcept {
  TENON_DCHECK(place != nullptr);
  return reinterpret_cast<ThreadRecord*>(reinterpret_cast<uintptr_t>(place) &
                                         ~(kRecordAlignment - 1));
}

/// Reasons to keep all calls of a thread on the slow path.
enum SlowRequest : uint32_t { kSlowProfile = 1u, kSlowRecord = 2u };

/// The library's only thread-local variable. Points to `no_thread_record` on threads without a
/// record.
extern __thread ThreadRecord* thread_self __attribute__((visibility("hidden")));

/// The record of threads that have none: default keys, a full stack, no error. Never written,
/// except for `live`.
extern ThreadRecord no_thread_record;

/// Returns the calling thread's record, or the stand-in. Never NULL.
inline ThreadRecord* current_thread() noexcept { return thread_self; }
inline bool has_thread_record() noexcept { return thread_self != &no_thread_record; }

/// Returns the calling thread's grad mode, TENON_GRAD_MODE_*.
inline uint32_t grad_mode() noexcept { return current_thread()->grad_mode; }
/// Returns true if tensors made in a grad mode, or by the calling thread, are inference tensors.
constexpr bool makes_inference_tensors(uint32_t grad_mode) noexcept {
  return (grad_mode & TENON_GRAD_MODE_INFERENCE) != 0;
}
inline bool makes_inference_tensors() noexcept { return makes_inference_tensors(grad_mode()); }

/// Set one of the three values that determine `keep`, and update it.
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

/// Returns the calling thread's own record, made on first use; NULL if memory is short.
ThreadRecord* own_thread_record() noexcept;
/// Like own_thread_record(), but throws TENON_ERROR_OUT_OF_MEMORY if memory is short.
ThreadRecord* make_required_thread_record();
inline ThreadRecord* require_thread_record() {
  return has_thread_record() ? current_thread() : make_required_thread_record();
}

/// Returns true if a call of the calling thread may start at the stack address `here`. Outside of
/// the thread's own stack (on a fiber or signal stack), any call may.
bool has_stack_left(ThreadRecord* thread, uint64_t here) noexcept;

/// Returns all records ever made, including those that can be recycled (`in_use` 0).
ThreadRecord* first_thread_record() noexcept;

/// Requests or releases the slow path for all calls of the calling thread, which has a record.
void request_slow_calls(SlowRequest reason, bool wanted) noexcept;
/// Returns the `limit` of a record while the thread is not poked.
RunningPlace* resting_limit(ThreadRecord* thread) noexcept;

/// Sets the default of a functionality that has not been in any set so far, on all present and
/// future threads. Every call that begins after this returns has it.
void add_thread_default(uint64_t functionality_bit, bool included);

/// Adds new late defaults to the calling thread's key state.
void adopt_late_defaults(ThreadRecord* thread) noexcept;
inline void adopt_defaults(ThreadRecord* thread) noexcept {
  const uint64_t known = late_defaults.known.load(std::memory_order_acquire);
  if (thread->known_defaults != known) [[unlikely]] {
    adopt_late_defaults(thread);
  }
}

/// For tests and debug builds: aborts if a thread's record is inconsistent.
void check_invariants(const ThreadRecord& thread) noexcept;

/// Adds a hook, which runs on each exiting thread while its record still works and must not fail.
/// At most 16 hooks; adding one again has no effect. Callers add their hook wherever they need it.
/// They must not remember this in a static variable: a child forked during its initialization would
/// hang.
using ThreadExitHook = void (*)(ThreadRecord* thread) noexcept;
void add_thread_exit_hook(ThreadExitHook hook);

}  // namespace tenon::base
