// SPDX-License-Identifier: Apache-2.0
// Tests of epoch reclamation: an object in use is kept, an unused one is freed, and no thread waits
// forever.
#include "base/reclaim.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <thread>
#include <vector>

#include "reclaim_fixture.h"

namespace tenon::base {
namespace {

using testing::Item;
using testing::live_items;
using testing::Op;

class ReclaimTest : public ::testing::Test {
 protected:
  void TearDown() override {
    reap();
    EXPECT_EQ(live_items.load(), 0);
    EXPECT_EQ(call_depth(), 0);
    Item::bury();
  }
};

// A thread that stays inside a kernel of `op` until it is released.
class Visitor {
 public:
  explicit Visitor(Op& op)
      : thread_([this, &op] {
          good_ = op.call([this] {
            inside_ = true;
            while (!leave_) std::this_thread::yield();
          });
        }) {
    while (!inside_) std::this_thread::yield();
  }
  ~Visitor() { finish(); }
  void finish() {
    leave_ = true;
    if (thread_.joinable()) thread_.join();
    EXPECT_TRUE(good_);
  }

 private:
  std::atomic<bool> inside_{false}, leave_{false};
  bool good_ = true;
  std::thread thread_;
};

// Makes a retired snapshot without a kernel, as after a replacement.
Item* make_retired() {
  auto* item = new Item;
  item->reclaim = Item::free;
  return item;
}

TEST_F(ReclaimTest, RetiredLater_WaitsForTheNextSweep) {
  const int before = live_items;
  retire_later(make_retired());
  EXPECT_EQ(live_items, before + 1);
  reap();
  EXPECT_EQ(live_items, before);
  retire_later(make_retired());
  Op op;
  op.replace();  // its barrier also serves the snapshot above
  EXPECT_EQ(live_items, before + 2);
}

TEST_F(ReclaimTest, ManyRetiredLater_AreFreedTogether) {
  const int before = live_items;
  int most = 0;
  for (int i = 0; i < 1000; ++i) {
    retire_later(make_retired());
    most = std::max(most, live_items - before);
  }
  EXPECT_GT(most, 8) << "each has made its own barrier";
  EXPECT_LE(most, 64);
}

TEST_F(ReclaimTest, RetiredLaterWhilePicking_Stays) {
  Op op;
  Visitor visitor(op);
  Item* item = make_retired();
  item->kernel = op.snapshot.load()->served;  // as if the visitor ran it
  retire_later(item);
  reap();
  EXPECT_EQ(item->state.load(), testing::kAlive);
  visitor.finish();
  reap();
  EXPECT_EQ(item->state.load(), testing::kPoison);
}

TEST_F(ReclaimTest, NobodyInside_FreedAtOnce) {
  Op op;
  const int before = live_items;
  op.replace();
  EXPECT_EQ(live_items, before);
}

TEST_F(ReclaimTest, RunningKernel_IsKeptUntilItReturns) {
  Op op;
  const int before = live_items;
  Visitor visitor(op);
  op.replace();
  EXPECT_EQ(live_items, before + 1);  // the old kernel; its snapshot was freed
  reap();
  EXPECT_EQ(live_items, before + 1);
  visitor.finish();  // the thread also reaps when it exits
  reap();
  EXPECT_EQ(live_items, before);
}

TEST_F(ReclaimTest, KernelOfAnotherOperator_DoesNotBlock) {
  Op busy, idle;
  const int before = live_items;
  Visitor visitor(busy);
  idle.replace();
  EXPECT_EQ(live_items, before);
}

TEST_F(ReclaimTest, RemovedInsideItself_IsFreedByALaterSlowPath) {
  Op op;
  const int before = live_items;
  op.call([&] {
    op.replace();
    EXPECT_EQ(live_items, before + 1);
  });
  EXPECT_TRUE(op.call([] {}));  // the removal asked this thread to answer
  EXPECT_EQ(live_items, before);
}

TEST_F(ReclaimTest, TwoKernelsThatRemoveEachOther_DoNotWait) {
  Op a, b;
  const int before = live_items;
  std::atomic<int> inside{0};
  const auto meet = [&](Op& mine, Op& theirs) {
    mine.call([&] {
      inside.fetch_add(1);
      while (inside < 2) std::this_thread::yield();
      theirs.replace();
    });
  };
  std::thread other(meet, std::ref(a), std::ref(b));
  meet(b, a);
  other.join();
  reap();
  EXPECT_EQ(live_items, before);
}

TEST_F(ReclaimTest, FallbackRecord_WaitsForAnyPick) {
  // A pick that a signal or preemption interrupts between push and set_running.
  Op op;
  const EnteredCall entered = enter(&op);
  auto* fallback = new Item;
  fallback->any_owner = true;
  fallback->kernel = fallback;
  fallback->reclaim = Item::free;
  const int before = live_items;
  retire(fallback);
  EXPECT_EQ(live_items, before);
  leave(entered.thread, entered.place);
  reap();
  EXPECT_EQ(live_items, before - 1);
}

TEST_F(ReclaimTest, PickBelowASignalHandler_KeepsTheOldSnapshot) {
  Op op;
  const int before = live_items;
  const EnteredCall interrupted = enter(&op);  // as if it had just loaded the snapshot
  op.replace();
  EXPECT_EQ(live_items, before + 2);
  Op other;
  // as a signal handler would: answers the request, but must not confirm the interrupted call
  EXPECT_TRUE(other.call([] {}));
  reap();
  EXPECT_EQ(live_items, before + 2 + 2);
  leave(interrupted.thread, interrupted.place);
  reap();
  EXPECT_EQ(live_items, before + 2);
}

TEST_F(ReclaimTest, DrainOfIdleGroup_IsDone) {
  Op op;
  int group = 0;
  op.replace(&group);
  Blocker blocker;
  EXPECT_EQ(drain(&group, 0, &blocker), DrainResult::kDone);
}

TEST_F(ReclaimTest, DrainOfBusyGroup_TimesOutNamingKernelAndThread) {
  Op op;
  int group = 0;
  Visitor visitor(op);
  op.replace(&group);
  Blocker blocker;
  EXPECT_EQ(drain(&group, 2'000'000, &blocker), DrainResult::kTimeout);
  EXPECT_STREQ(blocker.label, "test::op");
  EXPECT_NE(blocker.thread_id, 0);
  EXPECT_NE(blocker.thread_id, current_thread()->thread_id.load());
  visitor.finish();
  EXPECT_EQ(drain(&group, -1, &blocker), DrainResult::kDone);
}

TEST_F(ReclaimTest, DrainWaits_UntilTheKernelReturns) {
  Op op;
  int group = 0;
  auto visitor = std::make_unique<Visitor>(op);
  op.replace(&group);
  std::atomic<bool> done{false};
  std::thread drainer([&] {
    Blocker blocker;
    EXPECT_EQ(drain(&group, -1, &blocker), DrainResult::kDone);
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(done);
  visitor.reset();
  drainer.join();
}

TEST_F(ReclaimTest, DrainInsideAKernel_TellsInsteadOfWaiting) {
  Op op;
  int group = 0;
  op.call([&] {
    op.replace(&group);
    Blocker blocker;
    EXPECT_EQ(drain(&group, -1, &blocker), DrainResult::kInsideKernel);
  });
  Blocker blocker;
  EXPECT_EQ(drain(&group, 0, &blocker), DrainResult::kDone);
}

struct Drainer : Retired {
  DrainResult result = DrainResult::kDone;
};

TEST_F(ReclaimTest, DrainInsideAReclaim_TellsInsteadOfWaiting) {
  static int group = 0;
  Drainer drainer;
  drainer.group = &group;
  drainer.reclaim = [](Retired* self) {
    Blocker blocker;
    static_cast<Drainer*>(self)->result = drain(&group, -1, &blocker);
  };
  retire(&drainer);
  EXPECT_EQ(drainer.result, DrainResult::kInsideKernel);
}

// Neither thread has a record at that moment: one has dropped it, the other has none yet.
TEST_F(ReclaimTest, DrainOnANewThread_WaitsForWhatAnExitingOneFrees) {
  struct Slow : Pinnable {
    std::atomic<bool> entered{false}, go_on{false};
  };
  static int group = 0;
  Op op;
  Slow slow;
  slow.group = &group;
  slow.owner = &op;
  slow.kernel = op.snapshot.load()->served;
  slow.reclaim = [](Retired* self) {
    auto* mine = static_cast<Slow*>(self);
    mine->entered = true;
    while (!mine->go_on) std::this_thread::yield();
  };
  std::thread exiting([&] { op.call([&] { retire(&slow); }); });
  while (!slow.entered) std::this_thread::yield();
  std::thread([&] {
    Blocker blocker;
    EXPECT_EQ(drain(&group, 0, &blocker), DrainResult::kTimeout);
    EXPECT_NE(blocker.thread_id, 0);
    slow.go_on = true;
    EXPECT_EQ(drain(&group, -1, &blocker), DrainResult::kDone);
  }).join();
  exiting.join();
}

TEST_F(ReclaimTest, ReclaimThatRetires_IsServed) {
  static int freed = 0;
  static Drainer second;
  Drainer first;
  freed = 0;
  second.reclaim = [](Retired*) { ++freed; };
  first.reclaim = [](Retired*) {
    ++freed;
    retire(&second);
  };
  retire(&first);
  EXPECT_EQ(freed, 2);
}

TEST_F(ReclaimTest, LongjmpOverALeave_IsRepairedByTheOuterLeave) {
  Op op;
  op.call([&] { EXPECT_NE(enter(&op).place, nullptr); });  // entered and never left
  EXPECT_EQ(call_depth(), 0);
}

int nest(Op& op, int depth) {
  int reached = depth;
  op.call([&] { reached = nest(op, depth + 1); });
  return reached;
}

TEST_F(ReclaimTest, EndlessRecursion_IsRefusedAndLeavesNoTrace) {
  Op op;
  int reached = 0;
  std::thread([&] {
    reached = nest(op, 0);
    EXPECT_EQ(call_depth(), 0);
  }).join();
  EXPECT_LE(reached, kMaxDepth);
  EXPECT_GT(reached, 100);
}

TEST_F(ReclaimTest, DepthLimit_IsExactlyTheStack) {
  Op op;
  int entered = 0;
  while (enter(&op).place != nullptr) ++entered;
  EXPECT_EQ(entered, kMaxDepth);
  ThreadRecord* thread = current_thread();
  EXPECT_EQ(enter(&op).thread, thread);  // too deep, not out of memory
  leave(thread, thread->running);
}

TEST_F(ReclaimTest, SlowRequest_KeepsCallsOnTheSlowPath) {
  Op op;
  op.call([] {});
  request_slow_calls(kSlowProfile, true);
  op.call([] {});
  EXPECT_EQ(current_thread()->limit.load(), nullptr);
  request_slow_calls(kSlowProfile, false);
  op.call([] {});
  EXPECT_NE(current_thread()->limit.load(), nullptr);
}

TEST_F(ReclaimTest, Stress_ReadersNeverSeeFreedMemory) {
  constexpr int kReaders = 3, kOps = 4;
  std::vector<Op> ops(kOps);
  std::atomic<bool> stop{false};
  std::atomic<int> bad{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&, i] {
      for (unsigned n = static_cast<unsigned>(i); !stop; ++n) {
        Op& outer = ops[n % kOps];
        bool inner = true;
        const bool good = outer.call([&] { inner = ops[(n / 7) % kOps].call([] {}); });
        if (!good || !inner) bad.fetch_add(1);
      }
    });
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
  int replaced = 0;
  while (std::chrono::steady_clock::now() < end) ops[replaced++ % kOps].replace();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GT(replaced, 100);
  reap();
  EXPECT_EQ(live_items, 2 * kOps);
}

}  // namespace
}  // namespace tenon::base
