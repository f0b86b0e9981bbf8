// SPDX-License-Identifier: Apache-2.0
// Pins that are counted per thread: a pinned object lives until its last pin is dropped, on any
// thread, and is freed then.
#include "base/spread_pins.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/reclaim.h"
#include "reclaim_fixture.h"

namespace tenon::base {
namespace {

using testing::Item;
using testing::kAlive;
using testing::live_items;
using testing::Op;

class SpreadPinsTest : public ::testing::Test {
 protected:
  // No sweep here: any object that is left was not freed by its last unpin.
  void TearDown() override {
    EXPECT_EQ(live_items.load(), 0);
    Item::bury();
  }

  // Takes a pin inside a call of the operator's kernel.
  static Item* take(Op& op) {
    Item* kernel = op.snapshot.load()->served;
    EXPECT_TRUE(op.call([kernel] { kernel->spread.take(); }));
    return kernel;
  }
};

TEST_F(SpreadPinsTest, DroppedBeforeRetired_FreedWithoutWaiting) {
  Op op;
  op.replace_with((new Item)->pinned_by_threads(), nullptr);
  Item* kernel = take(op);
  std::thread([kernel] { kernel->spread.drop(); }).join();
  EXPECT_EQ(kernel->spread.sum(), 0);
  const int before = live_items;
  op.replace();
  EXPECT_EQ(live_items, before);
}

TEST_F(SpreadPinsTest, DroppedAfterRetired_ByAnotherThread_FreedByIt) {
  Op op;
  op.replace_with((new Item)->pinned_by_threads(), nullptr);
  Item* kernel = take(op);
  take(op);
  const int before = live_items;
  op.replace();
  EXPECT_EQ(live_items, before + 1);  // the kernel
  std::thread([kernel] { kernel->spread.drop(); }).join();
  EXPECT_EQ(live_items, before + 1);
  EXPECT_EQ(kernel->state.load(), kAlive);
  kernel->spread.drop();
  EXPECT_EQ(live_items, before);
}

TEST_F(SpreadPinsTest, PinsOfBothKinds_LastOneFrees) {
  Op op;
  op.replace_with((new Item)->pinned_by_threads(), nullptr);
  Item* kernel = take(op);
  pin(kernel);
  const int before = live_items;
  op.replace();
  kernel->spread.drop();
  EXPECT_EQ(live_items, before + 1);
  unpin(kernel);
  EXPECT_EQ(live_items, before);
}

TEST_F(SpreadPinsTest, OfAThreadThatEnded_Count) {
  Op op;
  op.replace_with((new Item)->pinned_by_threads(), nullptr);
  Item* kernel = nullptr;
  std::thread([&] { kernel = take(op); }).join();
  EXPECT_EQ(kernel->spread.sum(), 1);
  const int before = live_items;
  op.replace();
  EXPECT_EQ(kernel->state.load(), kAlive);
  kernel->spread.drop();
  EXPECT_EQ(live_items, before);
}

TEST_F(SpreadPinsTest, MoreThanPlaces_CountTogether) {
  std::vector<std::unique_ptr<SpreadPins>> all;
  for (uint32_t i = 0; i < SpreadPins::kPlaces; ++i) {
    all.push_back(std::make_unique<SpreadPins>());
    all.back()->take_place();
  }
  Op op;
  op.replace_with((new Item)->pinned_by_threads(), nullptr);
  Item* kernel = take(op);
  EXPECT_EQ(kernel->spread.sum(), 1);
  const int before = live_items;
  op.replace();
  EXPECT_EQ(live_items, before + 1);
  kernel->spread.drop();
  EXPECT_EQ(live_items, before);
}

TEST_F(SpreadPinsTest, PlacesAreUsedAgain) {
  for (uint32_t i = 0; i < 2 * SpreadPins::kPlaces; ++i) {
    SpreadPins pins;
    pins.take_place();
    pins.take();
    EXPECT_EQ(pins.sum(), 1);
    pins.drop();
    EXPECT_EQ(pins.sum(), 0);
  }
}

// Threads take pins in calls and drop each other's, while kernels are replaced continuously.
TEST_F(SpreadPinsTest, TakenAndDroppedByMany_WhileRetired) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 2000;
  std::mutex mutex;
  std::vector<Item*> held;
  std::atomic<int> running{kThreads}, bad{0};
  {
    Op op;
    op.replace_with((new Item)->pinned_by_threads(), nullptr);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kRounds; ++i) {
          Item* kernel = nullptr;
          const EnteredCall entered = enter(&op);
          kernel = op.snapshot.load(std::memory_order_acquire)->served;
          set_running(entered.place, kernel);
          kernel->spread.take();
          leave(entered.thread, entered.place);
          Item* other = nullptr;
          {
            const std::lock_guard lock(mutex);
            held.push_back(kernel);
            if (held.size() > 8) {
              std::swap(held[static_cast<size_t>(i) % held.size()], held.back());
              other = held.back();
              held.pop_back();
            }
          }
          if (other == nullptr) continue;
          if (other->state.load() != kAlive) bad.fetch_add(1);
          other->spread.drop();
        }
        running.fetch_sub(1);
      });
    }
    while (running != 0) op.replace_with((new Item)->pinned_by_threads(), nullptr);
    for (std::thread& thread : threads) thread.join();
  }
  for (Item* item : held) {
    if (item->state.load() != kAlive) bad.fetch_add(1);
    item->spread.drop();
  }
  EXPECT_EQ(bad, 0);
  reap();  // frees objects that were in a call when they were retired
}

}  // namespace
}  // namespace tenon::base
