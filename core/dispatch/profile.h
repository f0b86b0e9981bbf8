// SPDX-License-Identifier: Apache-2.0
// Recorded profiles: the dispatches of one thread, with times and nesting. They cost nothing while
// off, because only threads that record take the slow path.
//
// The end of a boxed call is recorded when the call returns. A caller that begins or resolves a
// frame leaves it by a plain store, which cannot be observed. Such a frame gets a stand-in for the
// kernel's entry: it has the boxed form only, and records the end when the kernel returns.
#pragma once

#include <atomic>
#include <vector>

#include "base/intrusive_ptr.h"
#include "base/thread.h"
#include "dispatch/kernel.h"
#include "tenon/frame.h"
#include "tenon/profile.h"

/// A profile. Written by the thread that began it until it ends, then immutable.
struct tenon_profile final : tenon::base::RefCounted<tenon_profile> {
 public:
  tenon_profile(tenon::base::ThreadRecord* thread, size_t max_spans) noexcept;
  ~tenon_profile();

  /// Returns the thread that the profile records, NULL once it has ended.
  const tenon::base::ThreadRecord* thread() const noexcept {
    return thread_.load(std::memory_order_acquire);
  }
  /// Returns the spans. Throws TENON_ERROR_STATE on another thread before the end,
  /// TENON_ERROR_OUT_OF_MEMORY if memory was short for some span.
  const std::vector<tenon_profile_span>& spans() const;
  /// Returns the number of dispatches that the limit left out.
  int64_t dropped() const noexcept { return dropped_; }

  /// Adds a span that begins now; fills in its times, depth and parent. Removes the span before it
  /// if its frame was left without running its kernel: that was not a dispatch.
  void begin_span(const tenon::base::RunningPlace* place, tenon_profile_span span) noexcept;
  /// Notes that the kernel at `place` runs.
  void run_span(const tenon::base::RunningPlace* place) noexcept;
  /// Ends the span at `place`, and open spans above it whose end was not observed.
  void end_span(const tenon::base::RunningPlace* place, tenon_status status) noexcept;
  /// Sets the handler that the innermost span runs.
  void name_handler(const char* name, uint32_t language) noexcept;
  void end() noexcept { thread_.store(nullptr, std::memory_order_release); }

 private:
  struct OpenSpan {
    const tenon::base::RunningPlace* place;
    size_t span;  // kDropped for a span that the limit left out
    bool ran;
  };
  static constexpr size_t kDropped = SIZE_MAX;

  std::atomic<const tenon::base::ThreadRecord*> thread_;
  const int64_t begun_;
  const size_t max_spans_;
  int64_t dropped_ = 0;
  std::vector<tenon_profile_span> spans_;
  std::vector<OpenSpan> open_;  // outermost first
  bool complete_ = true;
};

namespace tenon::dispatch {

using Profile = ::tenon_profile;
using ProfilePtr = base::IntrusivePtr<Profile>;

/// Begins a profile of the calling thread. No limit if `max_spans` is 0. Throws
/// TENON_ERROR_OUT_OF_MEMORY.
ProfilePtr begin_profile(size_t max_spans);
/// Ends a profile. Throws TENON_ERROR_STATE unless the calling thread records it.
void end_profile(const Profile& profile);

/// Returns true if a thread has profiles that record.
inline bool is_recorded(const base::ThreadRecord& thread) noexcept {
  return (thread.slow_requests & base::kSlowRecord) != 0;
}

/// Begins a span on a thread that records, for the kernel that is about to run at `place`.
void record_begin(const base::RunningPlace* place, const tenon_op* op, tenon_keyset keys,
                  const Kernel& kernel, bool redispatch) noexcept;
/// Records which handler the running kernel, a built-in fallback, calls: that of a mode or
/// argument, by the name of its type and its language.
void record_handler(const char* name, uint32_t language) noexcept;
/// Returns the entry to hand out with a frame at `place`, and makes it the frame's context. Returns
/// the kernel's own entry if memory is short.
const tenon_entry* stand_in_entry(const base::RunningPlace* place, const Kernel& kernel,
                                  tenon_frame* frame) noexcept;

/// RAII: ends the span of a place on destruction, also during a forced unwind. Created when the
/// kernel starts.
class SpanEnd {
 public:
  explicit SpanEnd(const base::RunningPlace* place) noexcept;
  ~SpanEnd();
  SpanEnd(const SpanEnd&) = delete;
  SpanEnd& operator=(const SpanEnd&) = delete;

  /// Notes the status that the kernel returned, and returns it.
  tenon_status returned(tenon_status status) noexcept { return status_ = status; }

 private:
  const base::RunningPlace* const place_;
  tenon_status status_ = TENON_OK;
};

}  // namespace tenon::dispatch
