// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>

#include "base/warning.h"

namespace tenon::base {

namespace {

using Clock = std::chrono::steady_clock;

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Polls `is_done` until it is true or the time is over. Returns true in the first case.
template <class IsDone>
bool spin(int64_t microseconds, IsDone&& is_done) noexcept {
  constexpr int kLooks = 64;  // polls between two looks at the clock
  const auto end = Clock::now() + std::chrono::microseconds(microseconds);
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (is_done()) return true;
      pause();
    }
  } while (Clock::now() < end);
  return false;
}

constinit ThreadPool pool;

}  // namespace

// ---- Regions ------------------------------------------------------------------------------------

void Region::share(int32_t threads) noexcept {
  const int64_t count = chunks();
  part_count_ = std::min<int64_t>(threads, kMostParts);
  int64_t begin = 0;
  for (int64_t part = 0; part < part_count_; ++part) {
    const int64_t end = begin + (count - begin) / (part_count_ - part);
    parts_[part].next.store(begin, std::memory_order_relaxed);
    parts_[part].end = end;
    begin = end;
  }
}

void Region::work(int32_t thread) noexcept {
  for (int64_t step = 0; step < part_count_; ++step) {
    Part& part = parts_[(thread + step) % part_count_];
    for (;;) {
      const int64_t chunk = part.next.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= part.end) break;
      run_chunk(chunk);
    }
  }
}

void Region::work_alone() noexcept {
  for (int64_t chunk = 0; chunk < chunks(); ++chunk) run_chunk(chunk);
}

void Region::run_chunk(int64_t chunk) noexcept {
  // Earlier chunks still run, so that the error is the same for any number of threads.
  if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
  const int64_t begin = chunk * grain_;
  const tenon_status status = run_(ctx_, begin, begin + std::min(grain_, count_ - begin));
  if (status != TENON_OK) [[unlikely]] {
    fail(chunk, status);
  }
}

void Region::fail(int64_t chunk, tenon_status status) noexcept {
  ErrorPtr error = adopt_current_error("tenon_parallel_for", "function", status, false);
  const std::lock_guard lock(error_mutex_);
  if (chunk > failed_chunk_.load(std::memory_order_relaxed)) return;
  failed_chunk_.store(chunk, std::memory_order_relaxed);
  error_ = std::move(error);
}

tenon_status Region::finish() noexcept {
  return error_ ? set_current_error(std::move(error_)) : TENON_OK;
}

// ---- The pool -----------------------------------------------------------------------------------

ThreadPool& ThreadPool::instance() noexcept { return pool; }

int32_t ThreadPool::threads() noexcept {
  if (const int32_t wanted = wanted_.load(std::memory_order_relaxed); wanted > 0) return wanted;
  int32_t count = default_.load(std::memory_order_relaxed);
  if (count > 0) return count;
  if (const char* text = std::getenv("TENON_NUM_THREADS"); text != nullptr && *text != '\0') {
    count = thread_count_of(text);
    if (count == 0) {
      constexpr const char* kRefused = "TENON_NUM_THREADS: must be a number from 1 to 256";
      warn("tenon", kRefused, "");
    }
  }
  if (count == 0) count = processor_count();
  default_.store(count, std::memory_order_relaxed);
  return count;
}

bool ThreadPool::run(Region& region) noexcept {
  if (busy_.exchange(true, std::memory_order_acquire)) return false;
  const int64_t helpers = std::min<int64_t>(threads(), region.chunks()) - 1;
  start_workers(static_cast<int32_t>(helpers));
  region.share(static_cast<int32_t>(helpers + 1));
  region_ = &region;
  caller_ = pthread_self();
  helpers_ = static_cast<int32_t>(helpers);
  gate_.fetch_add(1, std::memory_order_seq_cst);
  gate_.notify_all();
  region.work(0);
  // Workers that arrive from now on find the gate shut; those inside signal when they are done.
  gate_.fetch_add(1, std::memory_order_seq_cst);
  const auto is_empty = [this] { return inside_.load(std::memory_order_seq_cst) == 0; };
  if (!spin(spin_.load(std::memory_order_relaxed), is_empty)) {
    for (int32_t left; (left = inside_.load(std::memory_order_seq_cst)) != 0;) inside_.wait(left);
  }
  region_ = nullptr;
  busy_.store(false, std::memory_order_release);
  return true;
}

struct ThreadPool::Start {
  ThreadPool* pool;
  int32_t number;
};

void ThreadPool::start_workers(int32_t count) noexcept {
  if (workers_ >= count) [[likely]]
    return;
  if (!watches_forks_) {
    // The child of a fork has none of the workers.
    watches_forks_ = pthread_atfork(nullptr, nullptr, [] { pool.forget_workers(); }) == 0;
    if (!watches_forks_) return;
  }
  // Workers block all signals, which are for the host's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (; workers_ < count; ++workers_) {
    auto* start = new (std::nothrow) Start{this, workers_};
    const auto begin = [](void* data) -> void* {
      const Start start = *static_cast<Start*>(data);
      delete static_cast<Start*>(data);
      pthread_setname_np(pthread_self(), "tenon-worker");
      start.pool->worker(start.number);
      return nullptr;
    };
    // If the system refuses to create a thread, those that exist do the work.
    if (start == nullptr || pthread_create(&handles_[workers_], nullptr, begin, start) != 0) {
      delete start;
      break;
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Waits for a value of the gate other than `seen`, and returns it.
uint32_t ThreadPool::await_gate(uint32_t seen) const noexcept {
  uint32_t now = seen;
  const auto has_changed = [&] {
    now = gate_.load(std::memory_order_seq_cst);
    return now != seen;
  };
  if (!spin(spin_.load(std::memory_order_relaxed), has_changed)) {
    gate_.wait(seen, std::memory_order_seq_cst);
    now = gate_.load(std::memory_order_seq_cst);
  }
  return now;
}

void ThreadPool::worker(int32_t number) noexcept {
  uint32_t seen = 0;
  for (;;) {
    seen = await_gate(seen);
    if (closing_.load(std::memory_order_acquire)) return;
    if (seen % 2 == 0) continue;
    // Sequentially consistent, as in run(): either this thread sees the gate shut, or the thread
    // that shuts it sees this one inside.
    inside_.fetch_add(1, std::memory_order_seq_cst);
    const bool is_open = gate_.load(std::memory_order_seq_cst) == seen;
    if (is_open && number < helpers_) region_->work(number + 1);
    if (inside_.fetch_sub(1, std::memory_order_seq_cst) == 1) inside_.notify_one();
  }
}

bool ThreadPool::close() noexcept {
  if (busy_.exchange(true, std::memory_order_acquire)) return false;
  closing_.store(true, std::memory_order_release);
  gate_.fetch_add(2, std::memory_order_seq_cst);
  gate_.notify_all();
  for (int32_t i = 0; i < workers_; ++i) pthread_join(handles_[i], nullptr);
  workers_ = 0;
  closing_.store(false, std::memory_order_release);
  busy_.store(false, std::memory_order_release);
  return true;
}

// Runs in the child of a fork, on its only thread. If that thread forked while it ran a region, the
// region continues on this thread alone.
void ThreadPool::forget_workers() noexcept {
  workers_ = 0;
  inside_.store(0, std::memory_order_relaxed);
  closing_.store(false, std::memory_order_relaxed);
  const bool is_open = gate_.load(std::memory_order_relaxed) % 2 != 0;
  if (is_open && pthread_equal(caller_, pthread_self()) != 0) return;
  if (is_open) gate_.fetch_add(1, std::memory_order_relaxed);
  busy_.store(false, std::memory_order_relaxed);
}

}  // namespace tenon::base
