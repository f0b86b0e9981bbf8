// SPDX-License-Identifier: Apache-2.0
// What layers below core/symbol know of symbolic numbers: their words, and who owns them.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "tenon/common.h"

namespace tenon::base {

/// Owns symbols, which live as long as it does: a reference to a symbol is one to its owner.
class SymbolOwner {
 public:
  SymbolOwner(const SymbolOwner&) = delete;
  SymbolOwner& operator=(const SymbolOwner&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  /// Appends a symbol's text, such as "s0*s1 + 1".
  virtual void append_text(const ::tenon_symbol& symbol, std::string& text) = 0;
  /// What a symbol's word stands for by now: one of a simpler symbol, or a number.
  virtual int64_t simplify(int64_t word) = 0;

 protected:
  SymbolOwner() noexcept = default;
  virtual ~SymbolOwner() = default;

 private:
  std::atomic<int64_t> references_{1};
};

}  // namespace tenon::base

/// A symbolic number: what every expression of core/symbol begins with.
struct tenon_symbol {
  tenon::base::SymbolOwner* const owner;
  const uint16_t tag;  // TENON_TAG_SYMINT, SYMFLOAT or SYMBOOL

  void retain() noexcept { owner->retain(); }
  void release() noexcept { owner->release(); }
};

namespace tenon::base {

/// The least number that a word holds: smaller ones have the bits of symbols.
inline constexpr int64_t kLeastNumber = -(int64_t{1} << 62);

/// Returns true if a word is a symbol. Sizes of symbolic tensors are words: numbers from
/// kLeastNumber, or addresses of symbols with the top bit set. Ask this only of what a tag, a flag
/// or a symbolic tensor says is a word: a plain int of a user may have any bits.
constexpr bool is_symbol(int64_t word) noexcept { return word < kLeastNumber; }

inline int64_t word_of(const ::tenon_symbol* symbol) noexcept {
  const auto word = static_cast<int64_t>(reinterpret_cast<uintptr_t>(symbol) | uint64_t{1} << 63);
  TENON_DCHECK(is_symbol(word));
  return word;
}
inline ::tenon_symbol* symbol_of(int64_t word) noexcept {
  TENON_DCHECK(is_symbol(word));
  return reinterpret_cast<::tenon_symbol*>(static_cast<uint64_t>(word) & ~(uint64_t{1} << 63));
}

/// What a word stands for by now.
inline int64_t simplified(int64_t word) {
  return is_symbol(word) ? symbol_of(word)->owner->simplify(word) : word;
}

}  // namespace tenon::base
