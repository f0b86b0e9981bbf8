// SPDX-License-Identifier: Apache-2.0
// The part of symbolic numbers that layers below core/symbol use: their words, and their owners.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "tenon/common.h"

namespace tenon::base {

/// Owns symbols, which live as long as it does: a reference to a symbol is a reference to its
/// owner.
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
  /// Returns what a symbol's word simplifies to by now: the word of a simpler symbol, or a number.
  virtual int64_t simplify(int64_t word) = 0;

 protected:
  SymbolOwner() noexcept = default;
  virtual ~SymbolOwner() = default;

 private:
  std::atomic<int64_t> references_{1};
};

}  // namespace tenon::base

/// A symbolic number: the first part of every expression of core/symbol.
struct tenon_symbol {
  tenon::base::SymbolOwner* const owner;
  const uint16_t tag;  // TENON_TAG_SYMINT, SYMFLOAT or SYMBOOL

  void retain() noexcept { owner->retain(); }
  void release() noexcept { owner->release(); }
};

namespace tenon::base {

/// The smallest number that a word can hold: smaller ones have the bits of symbols.
inline constexpr int64_t kLeastNumber = -(int64_t{1} << 62);

/// Returns true if a word is a symbol. Sizes of symbolic tensors are words: numbers from
/// kLeastNumber on, or addresses of symbols with the top bit set. Call this only if a tag, a flag
/// or a symbolic tensor shows that it is a word: a user's plain int may have any bits.
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

/// Returns what a word simplifies to by now.
inline int64_t simplified(int64_t word) {
  return is_symbol(word) ? symbol_of(word)->owner->simplify(word) : word;
}

}  // namespace tenon::base
