// SPDX-License-Identifier: Apache-2.0
#include "dispatch/thread_slot.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/check.h"
#include "base/fork.h"
#include "base/interned_string.h"
#include "base/thread.h"

namespace tenon::dispatch {

namespace {

struct Slot {
  const char* name;  // interned
  tenon_thread_slot functions;
};

// Slots are only added, under the lock. Readers take no lock and read up to the count.
struct Slots {
  Slots() { base::hold_across_fork(mutex, base::ForkOrder::kThreadSlots); }
  std::mutex mutex;
};
constinit Slot slots[kThreadSlotCount] = {};
constinit std::atomic<uint32_t> taken_count{0};

uint32_t known_slots() noexcept { return taken_count.load(std::memory_order_acquire); }

void drop_word(uint32_t index, void* word) noexcept {
  if (word != nullptr && slots[index].functions.drop != nullptr) slots[index].functions.drop(word);
}

void** words_of(base::ThreadRecord* thread) noexcept {
  return static_cast<void**>(thread->locals[base::kLocalSlots]);
}

// Drops all words of an exiting thread. Drop functions may store new words, hence the second pass.
void drop_words_of(base::ThreadRecord* thread) noexcept {
  void** words = words_of(thread);
  if (words == nullptr) return;
  for (int i = 0; i < 2; ++i) {
    for (uint32_t index = known_slots(); index-- > 0;) {
      drop_word(index, std::exchange(words[index], nullptr));
    }
  }
  thread->locals[base::kLocalSlots] = nullptr;
  std::free(words);
}

// Returns the calling thread's words, allocated on first use; NULL if memory is short.
void** require_words() noexcept {
  base::ThreadRecord* thread = base::own_thread_record();
  if (thread == nullptr) return nullptr;
  if (void** words = words_of(thread)) return words;
  base::add_thread_exit_hook(&drop_words_of);
  thread->locals[base::kLocalSlots] = std::calloc(kThreadSlotCount, sizeof(void*));
  return words_of(thread);
}

void* copy_word(uint32_t index, void* word) {
  const Slot& slot = slots[index];
  void* copy = nullptr;
  const tenon_status status = slot.functions.copy(word, &copy);
  if (status == TENON_OK) return copy;
  base::ErrorPtr error = base::take_current_error();
  if (error && error->code() == status) throw Error(std::move(error));
  fail(status, "thread slot ", slot.name, ": copy function failed with ", base::status_name(status),
       " without raising an error");
}

}  // namespace

uint32_t register_thread_slot(std::string_view name, const tenon_thread_slot& slot) {
  const std::lock_guard lock(base::singleton<Slots, base::ForkOrder::kThreadSlots>().mutex);
  const uint32_t count = taken_count.load(std::memory_order_relaxed);
  for (uint32_t index = 0; index < count; ++index) {
    const Slot& known = slots[index];
    if (known.name != name) continue;
    TENON_CHECK(known.functions.copy == slot.copy && known.functions.drop == slot.drop,
                TENON_ERROR_ALREADY_EXISTS, "tenon_thread_slot_register: name must be new, got ",
                name, ", which is registered with other functions");
    return index;
  }
  TENON_CHECK(count < kThreadSlotCount, TENON_ERROR_STATE,
              "tenon_thread_slot_register: number of slots must be at most ", kThreadSlotCount,
              ", got one more, ", name);
  slots[count] = {base::InternedString(name).c_str(), slot};
  taken_count.store(count + 1, std::memory_order_release);
  return count;
}

void** peek_thread_slot(uint32_t index) noexcept {
  if (index >= known_slots()) return nullptr;
  void** words = words_of(base::current_thread());
  if (words == nullptr) words = require_words();
  return words != nullptr ? words + index : nullptr;
}

void** OwnSlot::place() {
  uint32_t number = number_.load(std::memory_order_acquire);
  if (number == kThreadSlotCount) {
    tenon_thread_slot functions{};
    functions.struct_size = sizeof functions;
    functions.copy = copy_;
    functions.drop = drop_;
    number = register_thread_slot(name_, functions);
    number_.store(number, std::memory_order_release);
  }
  void** word = peek_thread_slot(number);
  if (word == nullptr) throw std::bad_alloc();
  return word;
}

SlotWords::~SlotWords() {
  if (!any_) return;
  for (uint32_t index = known_slots(); index-- > 0;) drop_word(index, words_[index]);
}

void SlotWords::swap(SlotWords& other) noexcept {
  if (!any_ && !other.any_) return;
  std::swap(words_, other.words_);
  std::swap(any_, other.any_);
}

SlotWords SlotWords::copies_of(void* const* words) {
  SlotWords copies;
  for (uint32_t index = 0; index < known_slots(); ++index) {
    if (words[index] == nullptr || slots[index].functions.copy == nullptr) continue;
    copies.words_[index] = copy_word(index, words[index]);
    copies.any_ = true;
  }
  return copies;
}

SlotWords SlotWords::of_thread() {
  void** words = words_of(base::current_thread());
  return words != nullptr ? copies_of(words) : SlotWords();
}

SlotWords SlotWords::copy() const { return any_ ? copies_of(words_) : SlotWords(); }

void SlotWords::require_place() const {
  if (any_ && require_words() == nullptr) throw std::bad_alloc();
}

SlotWords SlotWords::swap_with_thread() && noexcept {
  SlotWords before;
  void** words = words_of(base::current_thread());
  TENON_DCHECK(words != nullptr || !any_);
  if (words == nullptr) return before;
  for (uint32_t index = 0; index < known_slots(); ++index) {
    if (slots[index].functions.copy == nullptr) continue;  // thread states skip it
    before.words_[index] = std::exchange(words[index], std::exchange(words_[index], nullptr));
    before.any_ = before.any_ || before.words_[index] != nullptr;
  }
  any_ = false;
  return before;
}

}  // namespace tenon::dispatch
