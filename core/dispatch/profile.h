// SPDX-License-Identifier: Apache-2.0
// Recorded profiles: the dispatches of one thread with times and nesting. Costs nothing while off,
// because a thread that records takes the slow path.
//
// The end of a boxed call is seen where it returns. Who begins or resolves a frame leaves it by a
// plain store, which nobody sees: it gets an entry that stands in for the kernel's, has the boxed
// form only, and notes the end when the kernel returns.
#pragma once

#include <atomic>
#include <vector>

#include "base/intrusive_ptr.h"
#include "base/thread.h"
#include "dispatch/kernel.h"
#include "tenon/frame.h"
#include "tenon/profile.h"

/// One profile. Written by the thread that began it until it ends, then by nobody.
struct tenon_profile final : tenon::base::RefCounted<tenon_profile> {
 public:
  tenon_profile(tenon::base::ThreadRecord* thread, size_t max_spans) noexcept;
  ~tenon_profile();

  /// The thread that it records, NULL once it has ended.
  const tenon::base::ThreadRecord* thread() const noexcept {
    return thread_.load(std::memory_order_acquire);
  }
  /// Throws TENON_ERROR_STATE on another thread before the end, TENON_ERROR_OUT_OF_MEMORY when
  /// memory was short for some.
  const std::vector<tenon_profile_span>& spans() const;
  /// Dispatches that the limit left out.
  int64_t dropped() const noexcept { return dropped_; }

  /// Adds a span that begins now; its times, depth and parent are filled in. One before it whose
  /// frame was left without running its kernel goes: it was no dispatch.
  void begin_span(const tenon::base::RunningPlace* place, tenon_profile_span span) noexcept;
  /// Notes that the kernel of a place of the call stack runs.
  void run_span(const tenon::base::RunningPlace* place) noexcept;
  /// Ends the span of a place of the call stack, and what ran above it and was left unseen.
  void end_span(const tenon::base::RunningPlace* place, tenon_status status) noexcept;
  /// Says whose handler the innermost span runs.
  void name_handler(const char* name, uint32_t language) noexcept;
  void end() noexcept { thread_.store(nullptr, std::memory_order_release); }

 private:
  struct Open {
    const tenon::base::RunningPlace* place;
    size_t span;  // kDropped for one that the limit left out
    bool ran;
  };
  static constexpr size_t kDropped = SIZE_MAX;

  std::atomic<const tenon::base::ThreadRecord*> thread_;
  const int64_t begun_;
  const size_t max_spans_;
  int64_t dropped_ = 0;
  std::vector<tenon_profile_span> spans_;
  std::vector<Open> open_;  // outermost first
  bool complete_ = true;
};

namespace tenon::dispatch {

using Profile = ::tenon_profile;
using ProfilePtr = base::IntrusivePtr<Profile>;

/// Begins a profile of the calling thread. Throws TENON_ERROR_OUT_OF_MEMORY.
/// `max_spans` 0: no limit.
ProfilePtr begin_profile(size_t max_spans);
/// Throws TENON_ERROR_STATE unless the calling thread records it.
void end_profile(const Profile& profile);

/// Whether a thread has profiles that record.
inline bool is_recorded(const base::ThreadRecord& thread) noexcept {
  return (thread.slow_requests & base::kSlowRecord) != 0;
}

/// Begins a span of a recorded thread, for the kernel that is about to run at `place`.
void record_begin(const base::RunningPlace* place, const tenon_op* op, tenon_keyset keys,
                  const Kernel& kernel, bool redispatch) noexcept;
/// Says whose handler the kernel that runs, a built-in fallback, asks: that of a mode or argument,
/// by the name of its type and its language.
void record_handler(const char* name, uint32_t language) noexcept;
/// The entry to hand out with a frame at `place`, whose context it becomes; the kernel's own where
/// memory is short.
const tenon_entry* stand_in_entry(const base::RunningPlace* place, const Kernel& kernel,
                                  tenon_frame* frame) noexcept;

/// Lives while the kernel of a place runs, and then ends its span, also when a forced unwind goes
/// through.
class SpanEnd {
 public:
  explicit SpanEnd(const base::RunningPlace* place) noexcept;
  ~SpanEnd();
  SpanEnd(const SpanEnd&) = delete;
  SpanEnd& operator=(const SpanEnd&) = delete;

  /// Notes what the kernel returned, and returns it.
  tenon_status returned(tenon_status status) noexcept { return status_ = status; }

 private:
  const base::RunningPlace* const place_;
  tenon_status status_ = TENON_OK;
};

}  // namespace tenon::dispatch
