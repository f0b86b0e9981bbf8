// SPDX-License-Identifier: Apache-2.0
// Reclamation on a system that refuses membarrier, from the start or later.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/reclaim.h"
#include "reclaim_fixture.h"

namespace tenon::base {
namespace {

using testing::live_items;
using testing::Op;

TEST(FenceMode, SwitchedWhileThreadsRun_StaysSafeAndFreesInTheEnd) {
  constexpr int kReaders = 2;
  {
    Op op;
    std::atomic<bool> stop{false};
    std::atomic<int> bad{0}, started{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < kReaders; ++i) {
      readers.emplace_back([&] {
        started.fetch_add(1);
        while (!stop) {
          if (!op.call([] {})) bad.fetch_add(1);
        }
      });
    }
    while (started < kReaders) std::this_thread::yield();
    for (int i = 0; i < 200; ++i) op.replace();
    refuse_barriers_for_testing();
    for (int i = 0; i < 2000; ++i) op.replace();
    stop = true;
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(bad, 0);
  }
  reap();
  EXPECT_EQ(live_items, 0);
  testing::Item::bury();
}

TEST(FenceMode, AfterTheSwitch_EachCallFences) {
  refuse_barriers_for_testing();
  Op op;
  EXPECT_TRUE(op.call([] {}));
  EXPECT_EQ(current_thread()->fenced.load(), 1u);
  EXPECT_EQ(current_thread()->limit.load(), nullptr);
  const int before = live_items;
  op.replace();
  EXPECT_EQ(live_items, before);
}

TEST(FenceMode, LastOfTheThreadsPins_Frees) {
  refuse_barriers_for_testing();
  Op op;
  op.replace_with((new testing::Item)->pinned_by_threads(), nullptr);
  testing::Item* kernel = op.snapshot.load()->served;
  EXPECT_TRUE(op.call([kernel] { kernel->spread.take(); }));
  const int before = live_items;
  op.replace();
  EXPECT_EQ(live_items, before + 1);
  std::thread([kernel] { kernel->spread.drop(); }).join();
  EXPECT_EQ(live_items, before);
}

TEST(FenceMode, RunningKernel_IsKept) {
  refuse_barriers_for_testing();
  Op op;
  const int before = live_items;
  EXPECT_TRUE(op.call([&] {
    op.replace();
    EXPECT_EQ(live_items, before + 1);
  }));
  reap();
  EXPECT_EQ(live_items, before);
  testing::Item::bury();
}

}  // namespace
}  // namespace tenon::base
