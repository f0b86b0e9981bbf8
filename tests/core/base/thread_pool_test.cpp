// SPDX-License-Identifier: Apache-2.0
// The thread pool that kernels share, through the C functions: chunks, errors, nesting, forks.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "base/processors.h"
#include "base/thread_pool.h"
#include "sanitized_fork.h"
#include "tenon/error.h"
#include "tenon/parallel.h"

namespace tenon::base {
namespace {

// Counts how often each number was processed, by which threads and in which chunks.
struct ChunkLog {
  explicit ChunkLog(int64_t count) : times(static_cast<size_t>(count)) {}
  std::vector<std::atomic<int>> times;
  std::mutex mutex;
  std::set<std::pair<int64_t, int64_t>> chunks;
  std::set<std::thread::id> threads;

  static tenon_status note(void* ctx, int64_t begin, int64_t end) {
    auto& seen = *static_cast<ChunkLog*>(ctx);
    for (int64_t i = begin; i < end; ++i) ++seen.times[static_cast<size_t>(i)];
    const std::lock_guard lock(seen.mutex);
    seen.chunks.insert({begin, end});
    seen.threads.insert(std::this_thread::get_id());
    return TENON_OK;
  }
  bool all_once() const {
    return std::all_of(times.begin(), times.end(), [](const auto& n) { return n.load() == 1; });
  }
};

class ThreadPool : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(tenon_parallel_set_threads(4), TENON_OK); }
  void TearDown() override {
    EXPECT_EQ(tenon_parallel_set_host(nullptr), TENON_OK);
    EXPECT_EQ(tenon_parallel_close(), TENON_OK);
    EXPECT_EQ(tenon_parallel_set_threads(0), TENON_OK);
  }
};

// Each thread begins with the same part in every loop, so that the data is still in its caches.
TEST(Region, EachThread_BeginsWithItsPartAndHelpsTheOthers) {
  const auto order_of = [](int32_t threads, int32_t thread) {
    std::vector<int64_t> order;
    const auto note = [](void* ctx, int64_t begin, int64_t) -> tenon_status {
      static_cast<std::vector<int64_t>*>(ctx)->push_back(begin);
      return TENON_OK;
    };
    Region region(10, 1, note, &order);
    region.share(threads);
    region.work(thread);
    return order;
  };
  using Order = std::vector<int64_t>;
  EXPECT_EQ(order_of(3, 0), (Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(order_of(3, 1), (Order{3, 4, 5, 6, 7, 8, 9, 0, 1, 2}));
  EXPECT_EQ(order_of(3, 2), (Order{6, 7, 8, 9, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order_of(100, 99).size(), 10u);
}

TEST_F(ThreadPool, Chunks_AreOfTheGrainWhateverTheThreads) {
  const std::set<std::pair<int64_t, int64_t>> expected = {
      {0, 300}, {300, 600}, {600, 900}, {900, 1000}};
  for (const int32_t threads : {1, 2, 7}) {
    ASSERT_EQ(tenon_parallel_set_threads(threads), TENON_OK);
    ChunkLog seen(1000);
    ASSERT_EQ(tenon_parallel_for(1000, 300, &ChunkLog::note, &seen), TENON_OK);
    EXPECT_TRUE(seen.all_once()) << threads;
    EXPECT_EQ(seen.chunks, expected) << threads;
    EXPECT_LE(seen.threads.size(), static_cast<size_t>(threads));
  }
}

TEST_F(ThreadPool, OneChunk_IsTheCallersOwn) {
  ChunkLog seen(64);
  ASSERT_EQ(tenon_parallel_for(64, 64, &ChunkLog::note, &seen), TENON_OK);
  EXPECT_EQ(seen.threads, std::set{std::this_thread::get_id()});
}

TEST_F(ThreadPool, NoNumbers_NoCall) {
  ChunkLog seen(1);
  ASSERT_EQ(tenon_parallel_for(0, 64, &ChunkLog::note, &seen), TENON_OK);
  EXPECT_TRUE(seen.chunks.empty());
}

TEST_F(ThreadPool, ManyRegions_EachWhole) {
  for (int i = 0; i < 3000; ++i) {
    ChunkLog seen(97);
    ASSERT_EQ(tenon_parallel_for(97, 1 + i % 13, &ChunkLog::note, &seen), TENON_OK);
    ASSERT_TRUE(seen.all_once()) << i;
  }
}

TEST_F(ThreadPool, Helpers_TakePart) {
  // Makes the first chunk wait until another thread joins.
  struct Rendezvous {
    std::atomic<int> there{0};
  } meeting;
  const auto meet = [](void* ctx, int64_t, int64_t) {
    auto& there = static_cast<Rendezvous*>(ctx)->there;
    ++there;
    while (there < 2) std::this_thread::yield();
    return tenon_status{TENON_OK};
  };
  EXPECT_EQ(tenon_parallel_for(2, 1, meet, &meeting), TENON_OK);
}

TEST_F(ThreadPool, Failure_TheFirstChunksWhateverTheThreads) {
  const auto fail_later = [](void*, int64_t begin, int64_t) {
    if (begin < 5) return tenon_status{TENON_OK};
    return tenon_error_raise(TENON_ERROR_INDEX, ("chunk " + std::to_string(begin)).c_str());
  };
  for (const int32_t threads : {1, 2, 4}) {
    ASSERT_EQ(tenon_parallel_set_threads(threads), TENON_OK);
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(tenon_parallel_for(64, 1, fail_later, nullptr), TENON_ERROR_INDEX);
      tenon_error* error = tenon_error_take();
      ASSERT_NE(error, nullptr);
      ASSERT_STREQ(tenon_error_message(error), "chunk 5");
      tenon_error_release(error);
    }
  }
}

TEST_F(ThreadPool, FailureWithoutError_NamesTheFunction) {
  const auto fail = [](void*, int64_t, int64_t) { return tenon_status{TENON_ERROR_RUNTIME}; };
  ASSERT_EQ(tenon_parallel_for(2, 1, fail, nullptr), TENON_ERROR_RUNTIME);
  tenon_error* error = tenon_error_take();
  ASSERT_NE(error, nullptr);
  EXPECT_NE(std::string(tenon_error_message(error)).find("tenon_parallel_for"), std::string::npos);
  tenon_error_release(error);
}

TEST_F(ThreadPool, Nested_TheInnerOneIsOneThreads) {
  struct Inner {
    std::atomic<int64_t> sum{0};
    std::atomic<bool> is_alone{true};
  } inner;
  const auto outer = [](void* ctx, int64_t, int64_t) {
    ChunkLog seen(40);
    const tenon_status status = tenon_parallel_for(40, 2, &ChunkLog::note, &seen);
    auto& all = *static_cast<Inner*>(ctx);
    all.sum += seen.all_once() ? 1 : 0;
    if (seen.threads != std::set{std::this_thread::get_id()}) all.is_alone = false;
    return status;
  };
  ASSERT_EQ(tenon_parallel_for(16, 1, outer, &inner), TENON_OK);
  EXPECT_EQ(inner.sum, 16);
  EXPECT_TRUE(inner.is_alone);
}

TEST_F(ThreadPool, ManyCallers_AllServed) {
  std::atomic<int> whole{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&whole] {
      for (int k = 0; k < 300; ++k) {
        ChunkLog seen(200);
        if (tenon_parallel_for(200, 7, &ChunkLog::note, &seen) == TENON_OK && seen.all_once())
          ++whole;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(whole, 6 * 300);
}

TEST_F(ThreadPool, SleepingThreads_Wake) {
  ASSERT_EQ(tenon_parallel_set_spin(0), TENON_OK);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ChunkLog seen(50);
    ASSERT_EQ(tenon_parallel_for(50, 1, &ChunkLog::note, &seen), TENON_OK);
    EXPECT_TRUE(seen.all_once());
  }
  ASSERT_EQ(tenon_parallel_set_spin(300), TENON_OK);
}

TEST_F(ThreadPool, Close_TheNextCallStartsThreadsAnew) {
  for (int i = 0; i < 10; ++i) {
    ChunkLog seen(50);
    ASSERT_EQ(tenon_parallel_for(50, 1, &ChunkLog::note, &seen), TENON_OK);
    EXPECT_TRUE(seen.all_once());
    ASSERT_EQ(tenon_parallel_close(), TENON_OK);
  }
}

TEST_F(ThreadPool, CloseInside_Refused) {
  const auto close = [](void*, int64_t, int64_t) {
    return tenon_status{tenon_parallel_close() == TENON_ERROR_STATE ? TENON_OK
                                                                    : TENON_ERROR_RUNTIME};
  };
  EXPECT_EQ(tenon_parallel_for(2, 1, close, nullptr), TENON_OK);
}

TEST_F(ThreadPool, Fork_TheChildHasThreadsOfItsOwn) {
  TENON_SKIP_FORK_BESIDE_THREADS();
  ChunkLog before(50);
  ASSERT_EQ(tenon_parallel_for(50, 1, &ChunkLog::note, &before), TENON_OK);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a deadlock ends with a signal
    ChunkLog seen(500);
    const bool served = tenon_parallel_for(500, 1, &ChunkLog::note, &seen) == TENON_OK;
    _exit(served && seen.all_once() && tenon_parallel_close() == TENON_OK ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(ThreadPool, ForkWhileAnotherThreadsRegionRuns_TheChildIsServed) {
  TENON_SKIP_FORK_BESIDE_THREADS();
  std::atomic<bool> begun{false}, may_end{false};
  struct Long {
    std::atomic<bool>&begun, &may_end;
  } data{begun, may_end};
  std::thread other([&data] {
    const auto wait = [](void* ctx, int64_t, int64_t) {
      auto& its = *static_cast<Long*>(ctx);
      its.begun = true;
      while (!its.may_end) std::this_thread::yield();
      return tenon_status{TENON_OK};
    };
    EXPECT_EQ(tenon_parallel_for(2, 1, wait, &data), TENON_OK);
  });
  while (!begun) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a deadlock ends with a signal
    ChunkLog seen(500);
    const bool served = tenon_parallel_for(500, 1, &ChunkLog::note, &seen) == TENON_OK;
    _exit(served && seen.all_once() && tenon_parallel_close() == TENON_OK ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  may_end = true;
  other.join();
}

TEST_F(ThreadPool, Host_RunsTheChunks) {
  static std::atomic<int64_t> chunks{0};
  const tenon_parallel_host host = {
      sizeof host,
      3,
      [](void*, int64_t count, void (*chunk)(void*, int64_t), void* job) {
        chunks = count;
        for (int64_t k = count; k-- > 0;) chunk(job, k);
      },
      nullptr,
      {}};
  ASSERT_EQ(tenon_parallel_set_host(&host), TENON_OK);
  EXPECT_EQ(tenon_parallel_get_threads(), 3);
  ChunkLog seen(100);
  ASSERT_EQ(tenon_parallel_for(100, 9, &ChunkLog::note, &seen), TENON_OK);
  EXPECT_TRUE(seen.all_once());
  EXPECT_EQ(chunks, 12);
}

TEST(Processors, QuotaOfACgroup_RoundedUp) {
  EXPECT_EQ(processors_of_quota("150000 100000\n"), 2);
  EXPECT_EQ(processors_of_quota("200000 100000"), 2);
  EXPECT_EQ(processors_of_quota("1000 100000"), 1);
  EXPECT_EQ(processors_of_quota("max 100000"), 0);
  EXPECT_EQ(processors_of_quota("-1\n 100000\n"), 0);
  EXPECT_EQ(processors_of_quota(""), 0);
}

TEST(Processors, TextOfTheEnvironment) {
  EXPECT_EQ(thread_count_of("3"), 3);
  EXPECT_EQ(thread_count_of("256"), 256);
  EXPECT_EQ(thread_count_of("257"), 0);
  EXPECT_EQ(thread_count_of("-2"), 0);
  EXPECT_EQ(thread_count_of("0"), 0);
  EXPECT_EQ(thread_count_of("4x"), 0);
  EXPECT_EQ(thread_count_of("many"), 0);
}

TEST(Processors, AtLeastOneAndNoMoreThanThereAre) {
  EXPECT_GE(processor_count(), 1);
  EXPECT_LE(processor_count(), std::max<int64_t>(sysconf(_SC_NPROCESSORS_CONF), 1));
}

}  // namespace
}  // namespace tenon::base
