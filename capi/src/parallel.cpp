// SPDX-License-Identifier: Apache-2.0
// Parallel loops; see tenon/parallel.h.
#include "tenon/parallel.h"

#include <atomic>

#include "base/check.h"
#include "base/read_struct.h"
#include "base/thread_pool.h"
#include "guard.h"

using tenon::base::Region;
using tenon::base::ThreadPool;
using tenon::capi::guarded;

namespace {

constinit std::atomic<const tenon_parallel_host*> host{nullptr};

void run_chunk(void* region, int64_t chunk) { static_cast<Region*>(region)->run_chunk(chunk); }

void check_number(const char* function, const char* name, int64_t number, int64_t most) {
  TENON_CHECK_ARG(number >= 0 && number <= most, function, ": ", name, " must be from 0 to ", most,
                  ", got ", number);
}

}  // namespace

extern "C" {

tenon_status tenon_parallel_for(int64_t count, int64_t grain, tenon_parallel_fn run, void* ctx) {
  if (count < 0 || grain < 1 || run == nullptr) [[unlikely]] {
    return guarded([&] {
      constexpr const char* kFor = "tenon_parallel_for";
      TENON_CHECK_ARG(count >= 0, kFor, ": count must be at least 0, got ", count);
      TENON_CHECK_ARG(grain >= 1, kFor, ": grain must be at least 1, got ", grain);
      TENON_CHECK_ARG(run != nullptr, kFor, ": run must be a function, got NULL");
    });
  }
  if (count == 0) return TENON_OK;
  if (count <= grain) return run(ctx, 0, count);
  Region region(count, grain, run, ctx);
  if (const tenon_parallel_host* its = host.load(std::memory_order_acquire); its != nullptr) {
    its->run(its->ctx, region.chunks(), &run_chunk, &region);
  } else {
    ThreadPool& pool = ThreadPool::instance();
    if (pool.threads() == 1 || !pool.run(region)) region.work_alone();
  }
  return region.finish();
}

tenon_status tenon_parallel_set_threads(int32_t count) {
  return guarded([&] {
    check_number("tenon_parallel_set_threads", "count", count, tenon::base::kMostThreads);
    ThreadPool::instance().set_threads(count);
  });
}

int32_t tenon_parallel_get_threads(void) {
  const tenon_parallel_host* its = host.load(std::memory_order_acquire);
  return its != nullptr ? its->threads : ThreadPool::instance().threads();
}

tenon_status tenon_parallel_set_spin(int64_t microseconds) {
  return guarded([&] {
    check_number("tenon_parallel_set_spin", "microseconds", microseconds, 1000000);
    ThreadPool::instance().set_spin(microseconds);
  });
}

tenon_status tenon_parallel_close(void) {
  return guarded([&] {
    TENON_CHECK(ThreadPool::instance().close(), TENON_ERROR_STATE,
                "tenon_parallel_close: no parallel call may be running, got one that is");
  });
}

tenon_status tenon_parallel_set_host(const tenon_parallel_host* its) {
  return guarded([&] {
    if (its != nullptr) {
      constexpr const char* kSet = "tenon_parallel_set_host";
      constexpr size_t kFirstSize = 56;
      const auto whole = tenon::base::read_struct(kSet, kFirstSize, *its);
      tenon::base::check_reserved(kSet, 0, whole.reserved);
      TENON_CHECK_ARG(whole.run != nullptr, kSet, ": run must be a function, got NULL");
      TENON_CHECK_ARG(whole.threads >= 1, kSet, ": threads must be at least 1, got ",
                      whole.threads);
    }
    host.store(its, std::memory_order_release);
  });
}

}  // extern "C"
