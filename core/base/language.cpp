// SPDX-License-Identifier: Apache-2.0
#include "base/language.h"

#include <atomic>
#include <memory>

#include "base/check.h"
#include "base/interned_string.h"

namespace tenon::base {

namespace {

// Filled from the front and never emptied, so that readers take no lock.
std::atomic<const char*> names[kMaxLanguages] = {"", "C", "C++", "Python", "Java", "Rust"};

struct Frames {
  tenon_frames_fn function;
  void* ctx;
};
std::atomic<const Frames*> frames_of[kMaxLanguages];  // never freed: threads may be running them

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
  fail(TENON_ERROR_STATE, kRegister, ": number of languages must be at most ", kMaxLanguages - 1,
       ", got \"", name, "\" in addition");
}

uint32_t find_language(std::string_view name) noexcept {
  for (uint32_t number = TENON_LANGUAGE_C; number < kMaxLanguages; ++number) {
    const char* known = language_name(number);
    if (known != nullptr && name == known) return number;
  }
  return TENON_LANGUAGE_NONE;
}

void set_frames(uint32_t language, tenon_frames_fn frames, void* ctx) {
  constexpr const char* kSet = "tenon_language_set_frames";
  TENON_CHECK_ARG(frames != nullptr, kSet, ": frames must be given, got NULL");
  TENON_CHECK_ARG(language != TENON_LANGUAGE_NONE && is_language(language), kSet,
                  ": language must be a registered one, got ", language);
  auto fresh = std::make_unique<const Frames>(Frames{frames, ctx});
  const Frames* known = nullptr;
  TENON_CHECK(
      frames_of[language].compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel),
      TENON_ERROR_ALREADY_EXISTS, kSet, ": language must not have a frames function yet, got ",
      language_name(language));
  static_cast<void>(fresh.release());
}

ErrorPtr capture_frames(std::string_view message, int32_t most) {
  auto error = ErrorPtr::adopt(ErrorObject::make(TENON_ERROR_INTERNAL, {}, message));
  for (const auto& one : frames_of) {
    if (const Frames* frames = one.load(std::memory_order_acquire)) {
      if (most != 0) error->limit_frames(most);
      frames->function(frames->ctx, error.get());
    }
  }
  return error;
}

}  // namespace tenon::base
