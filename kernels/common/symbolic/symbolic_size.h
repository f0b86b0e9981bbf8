// SPDX-License-Identifier: Apache-2.0
// SymbolicSize: a size that may be a symbol, for shape rules that are shared with plain sizes.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/common/check.h"
#include "tenon/symbol.h"

namespace tenon::kernels {

// Raises an error for a number below -2^62, which no word of symbol.h can represent.
[[noreturn, gnu::cold]] void refuse_number(int64_t number);

// A number or a symbol, stored as a word of symbol.h. Comparisons are decided immediately and may
// record a guard in the shape environment of the call's arguments.
class SymbolicSize {
 public:
  SymbolicSize() = default;
  // Stores a number. Numbers below -2^62 would have the bits of a symbol and are refused.
  SymbolicSize(int64_t number) : word_(number) {
    if (tenon_dim_is_symbol(number) != 0) [[unlikely]] {
      refuse_number(number);
    }
  }
  // Reads a word of symbol.h. The caller guarantees that it is one, that is, from a symbolic
  // tensor, a SYMINT or a list with the flag TENON_VALUE_HAS_SYMBOLIC.
  static SymbolicSize of_word(int64_t word) {
    SymbolicSize size;
    size.word_ = word;
    return size;
  }

  int64_t word() const { return word_; }
  bool is_number() const { return tenon_dim_is_symbol(word_) == 0; }

  friend SymbolicSize operator+(SymbolicSize a, SymbolicSize b) {
    return apply(TENON_SYMBOL_ADD, a, b);
  }
  friend SymbolicSize operator-(SymbolicSize a, SymbolicSize b) {
    return apply(TENON_SYMBOL_SUB, a, b);
  }
  friend SymbolicSize operator*(SymbolicSize a, SymbolicSize b) {
    return apply(TENON_SYMBOL_MUL, a, b);
  }
  friend SymbolicSize operator/(SymbolicSize a, SymbolicSize b) {
    return apply(TENON_SYMBOL_FLOORDIV, a, b);
  }
  SymbolicSize& operator+=(SymbolicSize other) { return *this = *this + other; }
  SymbolicSize& operator*=(SymbolicSize other) { return *this = *this * other; }
  friend SymbolicSize larger(SymbolicSize a, SymbolicSize b) {
    return apply(TENON_SYMBOL_MAX, a, b);
  }
  friend SymbolicSize smaller(SymbolicSize a, SymbolicSize b) {
    return apply(TENON_SYMBOL_MIN, a, b);
  }
  friend bool operator==(SymbolicSize a, SymbolicSize b) {
    return a.word_ == b.word_ || compare(TENON_SYMBOL_EQ, a, b);
  }
  friend bool operator<(SymbolicSize a, SymbolicSize b) { return compare(TENON_SYMBOL_LT, a, b); }
  friend bool operator>(SymbolicSize a, SymbolicSize b) { return b < a; }
  friend bool operator<=(SymbolicSize a, SymbolicSize b) { return !(b < a); }
  friend bool operator>=(SymbolicSize a, SymbolicSize b) { return !(a < b); }

 private:
  static SymbolicSize apply(uint32_t function, SymbolicSize a, SymbolicSize b) {
    int64_t word = 0;
    if (a.is_number() && b.is_number()) {
      const bool is_exact =
          (function == TENON_SYMBOL_ADD && !__builtin_add_overflow(a.word_, b.word_, &word)) ||
          (function == TENON_SYMBOL_MUL && !__builtin_mul_overflow(a.word_, b.word_, &word));
      if (is_exact && tenon_dim_is_symbol(word) == 0) return of_word(word);
    }
    check(tenon_dim_apply(function, a.word_, b.word_, &word));
    return of_word(word);
  }
  static bool compare(uint32_t relation, SymbolicSize a, SymbolicSize b) {
    if (a.is_number() && b.is_number()) {
      return relation == TENON_SYMBOL_EQ ? a.word_ == b.word_ : a.word_ < b.word_;
    }
    int32_t holds = 0;
    check(tenon_dim_compare(relation, a.word_, b.word_, &holds));
    return holds != 0;
  }

  int64_t word_ = 0;
};
static_assert(sizeof(SymbolicSize) == sizeof(int64_t), "words are read as sizes");

inline int64_t larger(int64_t a, int64_t b) { return std::max(a, b); }

using SymbolicSizes = std::span<const SymbolicSize>;

// Reads words of symbol.h as sizes; see SymbolicSize::of_word().
inline SymbolicSizes symbolic(const int64_t* words, int64_t count) {
  return {reinterpret_cast<const SymbolicSize*>(words), static_cast<size_t>(count)};
}

// Sizes or strides: the symbolic counterpart of Dims.
class SymbolicDims {
 public:
  SymbolicDims() = default;
  explicit SymbolicDims(SymbolicSizes sizes) : sizes_(sizes.begin(), sizes.end()) {}
  SymbolicDims(std::initializer_list<SymbolicSize> sizes) : sizes_(sizes) {}
  static SymbolicDims filled(int64_t count, SymbolicSize size) {
    SymbolicDims dims;
    dims.sizes_.assign(static_cast<size_t>(count), size);
    return dims;
  }

  int64_t size() const { return static_cast<int64_t>(sizes_.size()); }
  SymbolicSize& operator[](int64_t i) { return sizes_[static_cast<size_t>(i)]; }
  const SymbolicSize& operator[](int64_t i) const { return sizes_[static_cast<size_t>(i)]; }
  auto begin() const { return sizes_.begin(); }
  auto end() const { return sizes_.end(); }
  const SymbolicSize& back() const { return sizes_.back(); }
  bool empty() const { return sizes_.empty(); }
  void push_back(SymbolicSize size) { sizes_.push_back(size); }
  void resize(int64_t count) { sizes_.resize(static_cast<size_t>(count)); }
  void insert(int64_t at, SymbolicSize size) { sizes_.insert(sizes_.begin() + at, size); }
  void erase(int64_t at) { sizes_.erase(sizes_.begin() + at); }
  const int64_t* words() const { return reinterpret_cast<const int64_t*>(sizes_.data()); }
  operator SymbolicSizes() const { return {sizes_.data(), sizes_.size()}; }

 private:
  std::vector<SymbolicSize> sizes_;
};

inline std::string text_of(SymbolicSizes sizes) {
  tenon_value value = tenon_value_of_ints(reinterpret_cast<const int64_t*>(sizes.data()),
                                          static_cast<uint32_t>(sizes.size()));
  value.flags = TENON_VALUE_HAS_SYMBOLIC;
  tenon_buffer* text = nullptr;
  check(tenon_value_print(&value, &text));
  std::string copy(static_cast<const char*>(tenon_buffer_data(text)),
                   static_cast<size_t>(tenon_buffer_size(text)));
  tenon_buffer_release(text);
  return copy;
}

}  // namespace tenon::kernels
