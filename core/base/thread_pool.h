// SPDX-License-Identifier: Apache-2.0
// The threads that share the loops of kernels. One region runs at a time: nested or concurrent
// regions run serially on their calling thread. Chunks do not depend on the number of threads, and
// neither do results.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/error.h"
#include "base/processors.h"
#include "tenon/parallel.h"

namespace tenon::base {

/// One parallel loop: the chunks that are left, and the error of the first one that failed. Each
/// thread first works on its own part, a range of neighboring chunks, then takes chunks from other
/// parts. In consecutive loops over the same data, a thread thus finds most of its part in the
/// caches of its core.
class Region {
 public:
  Region(int64_t count, int64_t grain, tenon_parallel_fn run, void* ctx) noexcept
      : count_(count), grain_(grain), run_(run), ctx_(ctx) {}

  int64_t chunks() const noexcept { return (count_ - 1) / grain_ + 1; }
  /// Splits the chunks among `threads` threads. Called before work().
  void share(int32_t threads) noexcept;
  /// Runs chunks as thread number `thread` until none is left.
  void work(int32_t thread) noexcept;
  /// Runs all chunks on the calling thread.
  void work_alone() noexcept;
  /// Runs a chunk, unless an earlier one has failed.
  void run_chunk(int64_t chunk) noexcept;
  /// Moves the error to the calling thread's slot and returns its code.
  tenon_status finish() noexcept;

 private:
  // Aligned to a cache line, to avoid false sharing.
  struct alignas(64) Part {
    std::atomic<int64_t> next;
    int64_t end;
  };
  static constexpr int64_t kMostParts = 16;  // additional threads share a part

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
  /// Returns the process's pool, which is never destroyed.
  static ThreadPool& instance() noexcept;

  /// Returns the number of threads that work on a region, including the caller.
  int32_t threads() noexcept;
  /// Sets the number of threads; 0: determined by the environment or the machine.
  void set_threads(int32_t count) noexcept { wanted_.store(count, std::memory_order_relaxed); }
  /// Sets how long a thread without work polls for more before it sleeps.
  void set_spin(int64_t microseconds) noexcept {
    spin_.store(microseconds, std::memory_order_relaxed);
  }

  /// Runs a region with all threads that arrive in time. Returns false if a region is running
  /// already.
  bool run(Region& region) noexcept;
  /// Ends all threads except the caller. Returns false while a region runs.
  bool close() noexcept;

 private:
  struct Start;

  void start_workers(int32_t count) noexcept;
  void worker(int32_t number) noexcept;
  uint32_t await_gate(uint32_t seen) const noexcept;
  void forget_workers() noexcept;

  // Odd while open: workers may enter the region. Opened and shut by the thread that has set
  // `busy_`, which stays set while a region runs.
  std::atomic<uint32_t> gate_{0};
  std::atomic<int32_t> inside_{0};  // workers that may be in the region
  std::atomic<bool> busy_{false};
  std::atomic<bool> closing_{false};
  std::atomic<int32_t> wanted_{0};   // set by the user; 0: not set
  std::atomic<int32_t> default_{0};  // 0: not determined yet
  std::atomic<int64_t> spin_{300};
  // Used by the holder of `busy_`; workers read the first two while the gate is open.
  Region* region_ = nullptr;
  int32_t helpers_ = 0;  // maximum number of workers for the region
  pthread_t caller_ = {};
  int32_t workers_ = 0;
  bool watches_forks_ = false;
  pthread_t handles_[kMostThreads] = {};
};

}  // namespace tenon::base
