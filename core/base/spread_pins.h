// SPDX-License-Identifier: Apache-2.0
// SpreadPins: pins that are taken and dropped all the time. Each thread counts its own, so that
// neither costs an atomic operation; a pin taken on one thread may be dropped on another.
//
// Nobody asks how many there are before what they hold is retired. From then on pins are only
// dropped, so that a sum of zero stays zero. Whoever retires says that it waits, makes a barrier on
// all threads, and adds up; a thread that drops a pin looks after that whether somebody has begun
// to wait meanwhile: one of the two sees the other.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread.h"

namespace tenon::base {

// Of reclaim.cpp: see reclaim.h.
void full_fence() noexcept;
void reap_unpinned() noexcept;

class SpreadPins {
 public:
  SpreadPins() noexcept = default;
  /// All pins have been dropped.
  ~SpreadPins();
  SpreadPins(const SpreadPins&) = delete;
  SpreadPins& operator=(const SpreadPins&) = delete;

  /// Takes a place in the threads' tables, before there are pins. Without one, and on threads that
  /// have no record, pins are counted together.
  void take_place() noexcept;
  /// Adds a pin. The caller is in a call that keeps what they hold from being freed.
  void take() noexcept { add(1); }
  /// Drops one. From then on what it held may be gone.
  void drop() noexcept {
    const uint64_t before = waits_.load(std::memory_order_acquire);
    if (is_awaited_.load(std::memory_order_acquire)) [[unlikely]] {
      return drop_awaited();
    }
    add(-1);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (current_thread()->fenced.load(std::memory_order_relaxed) != 0) [[unlikely]] {
      full_fence();
    }
    if (waits_.load(std::memory_order_relaxed) != before) [[unlikely]] {
      reap_unpinned();
    }
  }

  /// For reclaim.cpp: says that the last pin is waited for; the caller makes a barrier after that.
  void await() noexcept {
    is_awaited_.store(true, std::memory_order_release);
    waits_.fetch_add(1, std::memory_order_seq_cst);
  }
  /// What threads show. Of something retired, whose calls have ended, zero is true.
  int64_t sum() const noexcept;

  static constexpr uint32_t kPlaces = ThreadRecord::kPinParts * ThreadRecord::kPinsInPart;

 private:
  void add(int64_t change) noexcept {
    auto* part =
        current_thread()->pins[place_ / ThreadRecord::kPinsInPart].load(std::memory_order_relaxed);
    if (part == nullptr) [[unlikely]] {
      return add_slow(change);
    }
    std::atomic<int64_t>& mine = part[place_ % ThreadRecord::kPinsInPart];
    mine.store(mine.load(std::memory_order_relaxed) + change, std::memory_order_release);
  }
  void add_slow(int64_t change) noexcept;
  void drop_awaited() noexcept;

  static std::atomic<uint64_t> waits_;  // how often somebody began to wait

  uint32_t place_ = kPlaces;  // kPlaces: none
  std::atomic<bool> is_awaited_{false};
  std::atomic<int64_t> together_{0};
};

}  // namespace tenon::base
