// SPDX-License-Identifier: Apache-2.0
// Sizes as values, and as operands of formulas: numbers, or words (base/symbol.h).
#pragma once

#include <algorithm>

#include "base/symbol_algebra.h"
#include "tenon/symbol.h"
#include "tensor/layout.h"
#include "value/value.h"

namespace tenon::autograd {

inline bool has_symbols(tensor::Dims words) noexcept {
  return std::ranges::any_of(words, [](int64_t word) { return base::is_symbol(word); });
}

/// Returns a borrowed list of ints. If `are_words` is true, words that are symbols stay symbols;
/// otherwise the list holds plain numbers, even those that have the bits of a symbol.
inline tenon_value words_value(tensor::Dims words, bool are_words = true) noexcept {
  tenon_value value = tenon_value_of_ints(words.data(), static_cast<uint32_t>(words.size()));
  if (are_words && has_symbols(words)) value.flags = TENON_VALUE_HAS_SYMBOLIC;
  return value;
}

/// Returns a borrowed INT or SYMINT; see words_value().
inline tenon_value word_value(int64_t word, bool is_word = true) noexcept {
  if (!is_word || !base::is_symbol(word)) return tenon_value_of_int(word);
  tenon_value value{};
  value.tag = TENON_TAG_SYMINT;
  value.as.symbol = base::symbol_of(word);
  return value;
}

/// Applies a TENON_SYMBOL_* function to numbers, at least one of which is a symbol. The result is
/// owned.
inline tenon_value apply_symbolic(uint32_t function, const tenon_value& a, const tenon_value& b) {
  const bool first = a.tag >= TENON_TAG_SYMINT && a.tag <= TENON_TAG_SYMBOOL;
  const tenon_value args[] = {a, b};
  return base::algebra_of(*(first ? a : b).as.symbol).apply_to(function, args);
}

/// Returns true if two sizes are equal. Records a guard if only their hints can decide.
inline bool is_same_size(int64_t a, int64_t b) {
  if (a == b) return true;
  if (!base::is_symbol(a) && !base::is_symbol(b)) return false;
  const tenon_value a_value = word_value(a), b_value = word_value(b);
  const value::OwnedValue same(apply_symbolic(TENON_SYMBOL_EQ, a_value, b_value));
  if (same.get().tag != TENON_TAG_SYMBOOL) return same.get().as.i != 0;
  return base::algebra_of(*same.get().as.symbol).decide_truth(same.get());
}

}  // namespace tenon::autograd
