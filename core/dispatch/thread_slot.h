// SPDX-License-Identifier: Apache-2.0
// Thread slots: words that layers have on each thread, and that thread states carry.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/thread.h"
#include "tenon/thread.h"

namespace tenon::dispatch {

constexpr uint32_t kThreadSlotCount = 32;

/// See tenon_thread_slot_register. `slot` is whole.
uint32_t register_thread_slot(std::string_view name, const tenon_thread_slot& slot);

/// Address of the calling thread's word; NULL for an unknown number, and when memory is short.
void** peek_thread_slot(uint32_t index) noexcept;

/// The calling thread's word; NULL for an unknown number, and where nothing was ever put there.
inline void* thread_slot_word(uint32_t index) noexcept {
  auto** words = static_cast<void**>(base::current_thread()->locals[base::kLocalSlots]);
  return words != nullptr && index < kThreadSlotCount ? words[index] : nullptr;
}

/// A slot of our own: static, registered when a thread first asks for a place for its word.
class OwnSlot {
 public:
  /// As tenon_thread_slot has them. `name` is static.
  using Copy = tenon_status (*)(void* word, void** out_word);
  using Drop = void (*)(void* word);
  constexpr OwnSlot(const char* name, Copy copy, Drop drop) noexcept
      : name_(name), copy_(copy), drop_(drop) {}

  /// The calling thread's word; NULL where nothing was ever put there.
  void* word() const noexcept { return thread_slot_word(number_.load(std::memory_order_acquire)); }
  /// Where it stands. Throws std::bad_alloc.
  void** place();

 private:
  const char* const name_;
  const Copy copy_;
  const Drop drop_;
  std::atomic<uint32_t> number_{kThreadSlotCount};
};

/// The words of the slots that states carry: of a state, or of a thread that another state put
/// aside. Drops what it holds at its end: foreign code, so that no lock may be held.
class SlotWords {
 public:
  SlotWords() noexcept = default;
  SlotWords(SlotWords&& other) noexcept { swap(other); }
  SlotWords& operator=(SlotWords&& other) noexcept {
    SlotWords(std::move(other)).swap(*this);
    return *this;
  }
  ~SlotWords();

  /// Copies of the calling thread's words. Throws what a copy function raised.
  static SlotWords of_thread();
  SlotWords copy() const;

  /// Makes sure that put_on_thread() has where to put the words. Throws std::bad_alloc.
  void require_place() const;
  /// Gives the calling thread these words, which it takes over; returns those that it had.
  SlotWords put_on_thread() && noexcept;

 private:
  static SlotWords copies_of(void* const* words);
  void swap(SlotWords& other) noexcept;

  void* words_[kThreadSlotCount] = {};
  bool any_ = false;
};

}  // namespace tenon::dispatch
