// SPDX-License-Identifier: Apache-2.0
// Thread slots: words that layers keep on each thread and that thread states copy.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/thread.h"
#include "tenon/thread.h"

namespace tenon::dispatch {

constexpr uint32_t kThreadSlotCount = 32;

/// Registers a slot; see tenon_thread_slot_register. All fields of `slot` are set.
uint32_t register_thread_slot(std::string_view name, const tenon_thread_slot& slot);

/// Returns the address of the calling thread's word, NULL for an unknown number or if memory is
/// short.
void** peek_thread_slot(uint32_t index) noexcept;

/// Returns the calling thread's word, NULL for an unknown number or if no word was ever stored.
inline void* thread_slot_word(uint32_t index) noexcept {
  auto** words = static_cast<void**>(base::current_thread()->locals[base::kLocalSlots]);
  return words != nullptr && index < kThreadSlotCount ? words[index] : nullptr;
}

/// A slot of the library itself: static, registered when a thread first calls place().
class OwnSlot {
 public:
  /// The functions have the signatures of tenon_thread_slot. `name` is static.
  using Copy = tenon_status (*)(void* word, void** out_word);
  using Drop = void (*)(void* word);
  constexpr OwnSlot(const char* name, Copy copy, Drop drop) noexcept
      : name_(name), copy_(copy), drop_(drop) {}

  /// Returns the calling thread's word, NULL if none was ever stored.
  void* word() const noexcept { return thread_slot_word(number_.load(std::memory_order_acquire)); }
  /// Returns the address of the calling thread's word. Throws std::bad_alloc.
  void** place();

 private:
  const char* const name_;
  const Copy copy_;
  const Drop drop_;
  std::atomic<uint32_t> number_{kThreadSlotCount};
};

/// The words of those slots that thread states carry, owned by a state. The destructor drops the
/// words, which may run foreign code, so no lock may be held.
class SlotWords {
 public:
  SlotWords() noexcept = default;
  SlotWords(SlotWords&& other) noexcept { swap(other); }
  SlotWords& operator=(SlotWords&& other) noexcept {
    SlotWords(std::move(other)).swap(*this);
    return *this;
  }
  ~SlotWords();

  /// Copies the calling thread's words. Throws the error of a copy function that failed.
  static SlotWords of_thread();
  SlotWords copy() const;

  /// Allocates the calling thread's words if swap_with_thread(), which cannot fail, needs them.
  /// Throws std::bad_alloc.
  void require_place() const;
  /// Moves these words to the calling thread. Returns the words that it had.
  SlotWords swap_with_thread() && noexcept;

 private:
  static SlotWords copies_of(void* const* words);
  void swap(SlotWords& other) noexcept;

  void* words_[kThreadSlotCount] = {};
  bool any_ = false;
};

}  // namespace tenon::dispatch
