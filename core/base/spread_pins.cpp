// SPDX-License-Identifier: Apache-2.0
#include "base/spread_pins.h"

#include <bit>
#include <new>

namespace tenon::base {

namespace {

constexpr uint32_t kBits = 64;

// One bit for each place that is taken.
constinit std::atomic<uint64_t> taken[SpreadPins::kPlaces / kBits] = {};

uint32_t find_place() noexcept {
  for (uint32_t i = 0; i < SpreadPins::kPlaces / kBits; ++i) {
    uint64_t bits = taken[i].load(std::memory_order_relaxed);
    while (~bits != 0) {
      const auto bit = static_cast<uint32_t>(std::countr_one(bits));
      if (taken[i].compare_exchange_weak(bits, bits | uint64_t{1} << bit, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
        return i * kBits + bit;
      }
    }
  }
  return SpreadPins::kPlaces;
}

}  // namespace

constinit std::atomic<uint64_t> SpreadPins::waits_{0};

void SpreadPins::take_place() noexcept {
  place_ = find_place();
  together_.store(-sum(),
                  std::memory_order_relaxed);  // cancels counts of the place's former owner
}

SpreadPins::~SpreadPins() {
  if (place_ == kPlaces) return;
  taken[place_ / kBits].fetch_and(~(uint64_t{1} << place_ % kBits), std::memory_order_release);
}

int64_t SpreadPins::sum() const noexcept {
  int64_t sum = together_.load(std::memory_order_seq_cst);
  for (ThreadRecord* thread = first_thread_record(); thread != nullptr; thread = thread->next) {
    const auto* part =
        thread->pins[place_ / ThreadRecord::kPinsInPart].load(std::memory_order_acquire);
    if (part == nullptr) continue;
    sum += part[place_ % ThreadRecord::kPinsInPart].load(std::memory_order_acquire);
  }
  return sum;
}

void SpreadPins::add_slow(int64_t change) noexcept {
  using Count = std::atomic<int64_t>;
  Count* part = nullptr;
  if (place_ != kPlaces && has_thread_record()) {
    part = new (std::nothrow) Count[ThreadRecord::kPinsInPart]();
  }
  if (part == nullptr) {
    together_.fetch_add(change, std::memory_order_seq_cst);
    return;
  }
  part[place_ % ThreadRecord::kPinsInPart].store(change, std::memory_order_relaxed);
  current_thread()->pins[place_ / ThreadRecord::kPinsInPart].store(part, std::memory_order_release);
}

// Drops a pin of a retired object. If a concurrent sum misses this drop, reap_unpinned() computes
// the sum again.
void SpreadPins::drop_awaited() noexcept {
  together_.fetch_sub(1, std::memory_order_seq_cst);
  reap_unpinned();
}

}  // namespace tenon::base
