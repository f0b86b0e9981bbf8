// SPDX-License-Identifier: Apache-2.0
#include "base/language.h"

#include <atomic>

#include "base/check.h"
#include "base/interned_string.h"

namespace tenon::base {

namespace {

// Filled from the front, never emptied: readers take no lock.
std::atomic<const char*> names[kMaxLanguages] = {"", "C", "C++", "Python", "Java", "Rust"};

}  // namespace

const char* language_name(uint32_t language) noexcept {
  return language < kMaxLanguages ? names[language].load(std::memory_order_acquire) : nullptr;
}

uint32_t register_language(std::string_view name) {
  constexpr const char* kRegister = "tenon_language_register";
  TENON_CHECK_ARG(!name.empty(), kRegister, ": name must be given, got an empty one");
  const InternedString interned(name);
  for (uint32_t number = TENON_LANGUAGE_C; number < kMaxLanguages; ++number) {
    const char* taken = nullptr;
    if (names[number].compare_exchange_strong(taken, interned.c_str(), std::memory_order_acq_rel))
      return number;
    if (name == taken) return number;
  }
  fail(TENON_ERROR_STATE, kRegister, ": languages must be at most ", kMaxLanguages - 1, ", got \"",
       name, "\" as one more");
}

}  // namespace tenon::base
