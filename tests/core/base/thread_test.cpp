// SPDX-License-Identifier: Apache-2.0
// Tests of thread records: first use, recycling, exit hooks, fork and live counts.
#include "base/thread.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "base/error.h"
#include "base/live_count.h"
#include "base/reclaim.h"

namespace tenon::base {
namespace {

TEST(ThreadRecord, ThreadNeverSeen_ReadsDefaults) {
  std::thread([] {
    EXPECT_FALSE(has_thread_record());
    EXPECT_EQ(current_thread()->include, kDefaultInclude);
    EXPECT_EQ(current_thread()->exclude, kDefaultExclude);
    EXPECT_EQ(current_thread()->keep, ~kDefaultExclude);
    EXPECT_EQ(grad_mode(), TENON_GRAD_MODE_ON);
    EXPECT_EQ(peek_current_error(), nullptr);
    EXPECT_FALSE(in_kernel());
  }).join();
}

TEST(ThreadRecord, Defaults_AreTheKeysOfTheDesign) {
  EXPECT_EQ(kDefaultInclude, (uint64_t{1} << 31) | (uint64_t{1} << 44));
  EXPECT_EQ(kDefaultExclude, uint64_t{1} << 51);
}

TEST(ThreadRecord, ThreadExits_RecordIsRecycledClean) {
  ThreadRecord* first = nullptr;
  std::thread([&first] {
    first = own_thread_record();
    first->include = 1;
    set_exclude(first, functionality_bit(TENON_FUNCTIONALITY_TRACER));
    set_grad_mode(first, TENON_GRAD_MODE_INFERENCE);
    first->nesting = 3;
    first->locals[kLocalListener] = first;
    request_slow_calls(kSlowProfile, true);
  }).join();
  EXPECT_EQ(first->in_use.load(), 0u);
  std::thread([&first] {
    ThreadRecord* second = own_thread_record();
    EXPECT_EQ(second, first);
    EXPECT_EQ(second->include, kDefaultInclude);
    EXPECT_EQ(second->exclude, kDefaultExclude);
    EXPECT_EQ(second->keep, ~kDefaultExclude);
    EXPECT_EQ(second->grad_mode, TENON_GRAD_MODE_ON);
    EXPECT_EQ(second->nesting, 0u);
    check_invariants(*second);
    EXPECT_EQ(second->locals[kLocalListener], nullptr);
    EXPECT_EQ(second->limit.load(), second->running + kMaxDepth);
  }).join();
}

TEST(ThreadRecord, ManyThreads_RecordsNumberTheConcurrentOnes) {
  const auto count = [] {
    int records = 0;
    for (ThreadRecord* t = first_thread_record(); t != nullptr; t = t->next) ++records;
    return records;
  };
  const auto run_eight = [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) threads.emplace_back([] { own_thread_record(); });
    for (std::thread& thread : threads) thread.join();
  };
  run_eight();
  const int before = count();
  for (int i = 0; i < 50; ++i) run_eight();
  EXPECT_LE(count(), before + 8);
}

int hook_runs = 0;
void count_exit(ThreadRecord* thread) noexcept {
  ++hook_runs;
  EXPECT_EQ(thread, current_thread());
}

TEST(ThreadRecord, ExitHook_RunsOncePerThreadWithARecord) {
  add_thread_exit_hook(count_exit);
  add_thread_exit_hook(count_exit);  // adding the same hook again has no effect
  hook_runs = 0;
  std::thread([] {}).join();
  EXPECT_EQ(hook_runs, 0);
  std::thread([] { own_thread_record(); }).join();
  EXPECT_EQ(hook_runs, 1);
}

TEST(ThreadRecord, Stack_IsAroundThisFrame) {
  const ThreadRecord* thread = own_thread_record();
  const uint64_t here = stack_pointer();
  EXPECT_GT(here, thread->stack_low);
  EXPECT_GE(thread->stack_low, thread->stack_bottom);
}

TEST(ThreadRecord, Fork_ChildOwnsOnlyItsOwnRecord) {
  own_thread_record();
  std::atomic<int> stage{0};
  std::thread other([&] {
    const EnteredCall entered = enter(&stage);
    stage = 1;
    while (stage != 2) std::this_thread::yield();
    leave(entered.thread, entered.place);
  });
  while (stage != 1) std::this_thread::yield();
  const pid_t child = fork();
  if (child == 0) {
    int used = 0;
    for (ThreadRecord* t = first_thread_record(); t != nullptr; t = t->next) {
      used += static_cast<int>(t->in_use.load());
    }
    const bool mine = current_thread()->thread_id.load() == getpid();
    const bool works = enter(&stage).place != nullptr;
    _exit(used == 1 && mine && works ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  stage = 2;
  other.join();
  EXPECT_EQ(status, 0);
}

TEST(LiveCount, SumsOverThreads) {
  const int64_t before = live_count(TENON_HANDLE_OBJECT);
  std::thread([] {
    count_live(TENON_HANDLE_OBJECT, 1);  // on a thread without a record
    own_thread_record();
    count_live(TENON_HANDLE_OBJECT, 2);
  }).join();
  EXPECT_EQ(live_count(TENON_HANDLE_OBJECT), before + 3);
  count_live(TENON_HANDLE_OBJECT, -3);
  EXPECT_EQ(live_count(TENON_HANDLE_OBJECT), before);
}

TEST(LiveCount, UnknownKind_IsToldApart) {
  EXPECT_EQ(live_count(tenon::base::kHandleCount), -1);
  EXPECT_EQ(live_name(tenon::base::kHandleCount), nullptr);
  for (uint32_t kind = 0; kind < tenon::base::kHandleCount; ++kind)
    EXPECT_NE(live_name(kind), nullptr);
  EXPECT_STREQ(live_name(TENON_HANDLE_THREAD_STATE), "thread_state");
  EXPECT_STREQ(live_name(TENON_HANDLE_TENSOR), "tensor");
}

}  // namespace
}  // namespace tenon::base
