// SPDX-License-Identifier: Apache-2.0
// The threads that share the loops of kernels. One region at a time: who comes while one runs, from
// inside of it too, works alone. Chunks do not depend on the number of threads, so results do not.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/error.h"
#include "base/processors.h"
#include "tenon/parallel.h"

namespace tenon::base {

/// One call: the chunks that are left of it, and the error of the first that failed. Each thread
/// has a part of them, neighbours, and takes those of others when its own are done: so it finds
/// what it wrote in the loop before in the caches of its own core.
class Region {
 public:
  Region(int64_t count, int64_t grain, tenon_parallel_fn run, void* ctx) noexcept
      : count_(count), grain_(grain), run_(run), ctx_(ctx) {}

  int64_t chunks() const noexcept { return (count_ - 1) / grain_ + 1; }
  /// Gives so many threads their parts, before any of them works.
  void share(int32_t threads) noexcept;
  /// Takes chunks until none is left, or one has failed: as thread 0, 1, ...
  void work(int32_t thread) noexcept;
  /// Takes all chunks, without other threads.
  void work_alone() noexcept;
  /// Runs a chunk, unless an earlier one has failed.
  void run_chunk(int64_t chunk) noexcept;
  /// Moves the error to the calling thread's slot; its code.
  tenon_status finish() noexcept;

 private:
  // In a line of its own.
  struct alignas(64) Part {
    std::atomic<int64_t> next;
    int64_t end;
  };
  static constexpr int64_t kMostParts = 16;  // some threads share one where there are more

  void fail(int64_t chunk, tenon_status status) noexcept;

  const int64_t count_;
  const int64_t grain_;
  const tenon_parallel_fn run_;
  void* const ctx_;
  Part parts_[kMostParts];
  int64_t part_count_ = 0;
  std::atomic<int64_t> failed_chunk_{INT64_MAX};
  std::mutex error_mutex_;
  ErrorPtr error_;
};

class ThreadPool {
 public:
  /// The process's one, never destroyed.
  static ThreadPool& instance() noexcept;

  /// The threads that work on a region, the caller's included.
  int32_t threads() noexcept;
  /// 0: as many as the environment or the machine says.
  void set_threads(int32_t count) noexcept { wanted_.store(count, std::memory_order_relaxed); }
  /// For how long a thread without work looks for more before it sleeps.
  void set_spin(int64_t microseconds) noexcept {
    spin_.store(microseconds, std::memory_order_relaxed);
  }

  /// Runs a region with all threads that come in time; false where one runs already.
  bool run(Region& region) noexcept;
  /// Ends all threads but the caller's; false while a region runs.
  bool close() noexcept;

 private:
  struct Start;

  void start_workers(int32_t count) noexcept;
  void worker(int32_t number) noexcept;
  uint32_t await_gate(uint32_t seen) const noexcept;
  void forget_workers() noexcept;

  // Odd: open. Opened and shut by the thread that holds `busy_`, in which a region runs.
  std::atomic<uint32_t> gate_{0};
  std::atomic<int32_t> inside_{0};  // workers that may be in the region
  std::atomic<bool> busy_{false};
  std::atomic<bool> closing_{false};
  std::atomic<int32_t> wanted_{0};   // by the user; 0: not said
  std::atomic<int32_t> default_{0};  // 0: not asked for so far
  std::atomic<int64_t> spin_{300};
  // These are of whoever holds `busy_`; workers read the first two while the gate is open.
  Region* region_ = nullptr;
  int32_t helpers_ = 0;  // workers that the region wants
  pthread_t caller_ = {};
  int32_t workers_ = 0;
  bool watches_forks_ = false;
  pthread_t handles_[kMostThreads] = {};
};

}  // namespace tenon::base
