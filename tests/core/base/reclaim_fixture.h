// SPDX-License-Identifier: Apache-2.0
// A miniature operator over base/reclaim: snapshots with one record, calls and replacements.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/reclaim.h"

namespace tenon::base::testing {

constexpr uint64_t kAlive = 0x600d600d600d600d;
constexpr uint64_t kPoison = 0xdeaddeaddeaddead;

inline std::atomic<int> live_items{0};

struct Item;
inline std::atomic<Item*> graveyard{nullptr};

// A kernel or a snapshot. Freed items are poisoned but not deallocated, so that late reads are
// detected.
struct Item : Pinnable {
  std::atomic<uint64_t> state{kAlive};
  Item* served = nullptr;  // the kernel, if this is a snapshot
  Item* grave = nullptr;   // the next poisoned item
  SpreadPins spread;

  Item() { live_items.fetch_add(1); }
  Item* pinned_by_threads() {
    spread.take_place();
    spread_pins = &spread;
    return this;
  }
  static void free(Retired* retired) {
    auto* item = static_cast<Item*>(retired);
    item->state.store(kPoison);
    live_items.fetch_sub(1);
    item->grave = graveyard.load();
    while (!graveyard.compare_exchange_weak(item->grave, item)) {
    }
  }
  // Deallocates the items; no reader may be left.
  static void bury() {
    for (Item* item = graveyard.exchange(nullptr); item != nullptr;) {
      delete std::exchange(item, item->grave);
    }
  }
};

struct Op {
  std::atomic<Item*> snapshot{nullptr};

  Op() { snapshot.store(make(new Item)); }
  ~Op() { replace_with(nullptr, nullptr); }

  Item* make(Item* kernel) {
    auto* item = new Item;
    item->served = kernel;
    return item;
  }

  // Publishes another kernel and retires the old one with its snapshot.
  void replace_with(Item* kernel, const void* group) {
    Item* old = snapshot.exchange(kernel != nullptr ? make(kernel) : nullptr);
    Item* old_kernel = old->served;
    old->owner = old_kernel->owner = this;
    old_kernel->kernel = old_kernel;
    old->group = old_kernel->group = group;
    old->label = old_kernel->label = "test::op";
    old->reclaim = old_kernel->reclaim = Item::free;
    old->next = old_kernel;
    retire(old);
  }
  void replace(const void* group = nullptr) { replace_with(new Item, group); }

  // Calls the kernel; returns false if the call could not start or saw freed memory.
  template <class Body>
  bool call(const Body& body) {
    const EnteredCall entered = enter(this);
    if (entered.place == nullptr) return false;
    Item* current = snapshot.load(std::memory_order_acquire);
    bool good = current->state.load(std::memory_order_relaxed) == kAlive;
    Item* kernel = current->served;
    set_running(entered.place, kernel);
    body();
    good = good && kernel->state.load(std::memory_order_relaxed) == kAlive;
    leave(entered.thread, entered.place);
    return good;
  }
};

}  // namespace tenon::base::testing
