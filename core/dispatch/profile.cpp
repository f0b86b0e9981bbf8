// SPDX-License-Identifier: Apache-2.0
#include "dispatch/profile.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>

#include "base/check.h"
#include "base/live_count.h"
#include "dispatch/key_set.h"

namespace tenon::dispatch {

namespace {

using base::RunningPlace;
using base::ThreadRecord;

// The entry that a caller receives instead of the kernel's.
struct ProfiledEntry {
  tenon_entry entry;
  const tenon_entry* kernel;
  const RunningPlace* place;
};

// Profiling state of a thread that has recorded, kept until it exits.
struct Recording {
  std::vector<ProfilePtr> profiles;  // those that record now
  // Indexed by depth on the stack of running kernels; reused once the frame there has been left.
  std::vector<std::unique_ptr<ProfiledEntry>> stand_ins;
};

int64_t now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

Recording* recording_of(const ThreadRecord* thread) noexcept {
  return static_cast<Recording*>(thread->locals[base::kLocalRecording]);
}

void end_recording(ThreadRecord* thread) noexcept {
  const std::unique_ptr<Recording> recording(recording_of(thread));
  if (recording == nullptr) return;
  thread->locals[base::kLocalRecording] = nullptr;
  base::request_slow_calls(base::kSlowRecord, false);
  for (const ProfilePtr& profile : recording->profiles) profile->end();
}

Recording& require_recording() {
  ThreadRecord* thread = base::require_thread_record();
  if (recording_of(thread) == nullptr) {
    base::add_thread_exit_hook(&end_recording);
    thread->locals[base::kLocalRecording] = new Recording;
  }
  return *recording_of(thread);
}

// The boxed form of a stand-in: runs the kernel and records its end.
tenon_status run_noting_end(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack) {
  const auto* stand_in = static_cast<const ProfiledEntry*>(ctx);
  SpanEnd end(stand_in->place);
  const tenon_entry* kernel = stand_in->kernel;  // valid while the kernel runs
  return end.returned(kernel->boxed(kernel->ctx, op, keys, stack));
}

}  // namespace

ProfilePtr begin_profile(size_t max_spans) {
  Recording& recording = require_recording();
  auto profile = base::make_intrusive<Profile>(base::current_thread(), max_spans);
  recording.profiles.push_back(profile);
  base::request_slow_calls(base::kSlowRecord, true);
  return profile;
}

void end_profile(const Profile& profile) {
  const ThreadRecord* thread = profile.thread();
  TENON_CHECK(thread != nullptr, TENON_ERROR_STATE,
              "tenon_profile_end: profile must be recording, got one that has ended");
  TENON_CHECK(
      thread == base::current_thread(), TENON_ERROR_STATE,
      "tenon_profile_end: profile must be ended on the thread that began it, got another thread");
  auto& profiles = recording_of(thread)->profiles;
  const auto place = std::find_if(profiles.begin(), profiles.end(),
                                  [&](const ProfilePtr& each) { return each.get() == &profile; });
  const ProfilePtr ended = *place;
  profiles.erase(place);
  ended->end();
  base::request_slow_calls(base::kSlowRecord, !profiles.empty());
}

void record_begin(const RunningPlace* place, const tenon_op* op, tenon_keyset keys,
                  const Kernel& kernel, bool redispatch) noexcept {
  tenon_profile_span span{};
  span.op = op;
  span.keys = keys;
  span.key = highest_key(keys);
  span.redispatch = redispatch ? 1 : 0;
  span.language = kernel.entry.language;
  span.kernel = kernel.name.c_str();
  span.file = kernel.file.c_str();
  span.line = kernel.line;
  span.handler = "";
  for (const ProfilePtr& profile : recording_of(base::current_thread())->profiles) {
    profile->begin_span(place, span);
  }
}

void record_handler(const char* name, uint32_t language) noexcept {
  if (!is_recorded(*base::current_thread())) return;
  try {
    const std::string_view kept = base::intern(name);  // spans outlive types
    for (const ProfilePtr& profile : recording_of(base::current_thread())->profiles) {
      profile->name_handler(kept.data(), language);
    }
  } catch (const std::bad_alloc&) {
    // The span keeps the fallback's name.
  }
}

const tenon_entry* stand_in_entry(const RunningPlace* place, const Kernel& kernel,
                                  tenon_frame* frame) noexcept {
  const ThreadRecord* thread = base::current_thread();
  auto& stand_ins = recording_of(thread)->stand_ins;
  const auto depth = static_cast<size_t>(place - thread->running);
  try {
    if (stand_ins.size() <= depth) stand_ins.resize(depth + 1);
    if (stand_ins[depth] == nullptr) stand_ins[depth] = std::make_unique<ProfiledEntry>();
  } catch (const std::bad_alloc&) {
    return &kernel.entry;  // its span ends when the next one begins or an outer one ends
  }
  ProfiledEntry& stand_in = *stand_ins[depth];
  stand_in.entry = kernel.entry;
  stand_in.entry.boxed = &run_noting_end;
  stand_in.entry.ctx = &stand_in;
  stand_in.entry.typed = nullptr;
  stand_in.entry.signature = 0;
  stand_in.kernel = &kernel.entry;
  stand_in.place = place;
  frame->ctx = &stand_in;
  return &stand_in.entry;
}

SpanEnd::SpanEnd(const RunningPlace* place) noexcept : place_(place) {
  const Recording* recording = recording_of(base::current_thread());
  if (recording == nullptr) return;
  for (const ProfilePtr& profile : recording->profiles) profile->run_span(place);
}

SpanEnd::~SpanEnd() {
  const Recording* recording = recording_of(base::current_thread());
  if (recording == nullptr) return;
  for (const ProfilePtr& profile : recording->profiles) profile->end_span(place_, status_);
}

}  // namespace tenon::dispatch

tenon_profile::tenon_profile(tenon::base::ThreadRecord* thread, size_t max_spans) noexcept
    : thread_(thread), begun_(tenon::dispatch::now()), max_spans_(max_spans) {
  tenon::base::count_live(TENON_HANDLE_PROFILE, 1);
}

tenon_profile::~tenon_profile() { tenon::base::count_live(TENON_HANDLE_PROFILE, -1); }

const std::vector<tenon_profile_span>& tenon_profile::spans() const {
  const tenon::base::ThreadRecord* recording = thread();
  TENON_CHECK(recording == nullptr || recording == tenon::base::current_thread(), TENON_ERROR_STATE,
              "profile: profile must have ended before another thread reads it, got one that is "
              "still recording");
  TENON_CHECK(complete_, TENON_ERROR_OUT_OF_MEMORY, "profile: out of memory while recording");
  return spans_;
}

void tenon_profile::begin_span(const tenon::base::RunningPlace* place,
                               tenon_profile_span span) noexcept {
  span.begin_ns = tenon::dispatch::now() - begun_;
  span.end_ns = -1;
  // Frames that were left unobserved have ended by now.
  while (!open_.empty() && open_.back().place >= place) {
    const OpenSpan left = open_.back();
    open_.pop_back();
    if (left.span == kDropped) {
      dropped_ -= left.ran ? 0 : 1;
    } else if (!left.ran && left.span + 1 == spans_.size()) {
      spans_.pop_back();
    } else {
      spans_[left.span].end_ns = span.begin_ns;
    }
  }
  const bool full = max_spans_ != 0 && spans_.size() >= max_spans_;
  span.depth = static_cast<int32_t>(open_.size());
  span.parent = open_.empty() ? -1 : static_cast<int64_t>(open_.back().span);
  try {
    open_.reserve(open_.size() + 1);
    if (full) {
      ++dropped_;
    } else {
      spans_.push_back(span);
    }
    open_.push_back({place, full ? kDropped : spans_.size() - 1, false});
  } catch (const std::bad_alloc&) {
    complete_ = false;
  }
}

void tenon_profile::name_handler(const char* name, uint32_t language) noexcept {
  if (open_.empty() || open_.back().span == kDropped) return;
  tenon_profile_span& span = spans_[open_.back().span];
  span.handler = name;
  span.handler_language = language;
}

void tenon_profile::run_span(const tenon::base::RunningPlace* place) noexcept {
  if (!open_.empty() && open_.back().place == place) open_.back().ran = true;
}

void tenon_profile::end_span(const tenon::base::RunningPlace* place, tenon_status status) noexcept {
  const int64_t time = tenon::dispatch::now() - begun_;
  while (!open_.empty() && open_.back().place >= place) {
    const OpenSpan ended = open_.back();
    open_.pop_back();
    if (ended.span == kDropped) {
      dropped_ -= ended.ran || ended.place == place ? 0 : 1;
      continue;
    }
    tenon_profile_span& span = spans_[ended.span];
    span.end_ns = time;
    if (ended.place == place) span.status = status;
  }
}
