// SPDX-License-Identifier: Apache-2.0
// CheckedSize: the arithmetic that shape rules calculate sizes with.
#pragma once

#include <cstdint>

namespace tenon::kernels {

// Raises "<op>: sizes must fit 63 bits, got <a> <sign> <b>".
[[noreturn, gnu::cold]] void refuse_overflow(const char* op, int64_t a, char sign, int64_t b);

// A number on its way to a size. An operation whose result does not fit int64 is refused in the
// operator's name, so that numbers from a user never wrap. `op` outlives the number.
class CheckedSize {
 public:
  CheckedSize(const char* op, int64_t number) : op_(op), number_(number) {}

  int64_t value() const { return number_; }

  CheckedSize operator+(int64_t other) const {
    int64_t result = 0;
    if (__builtin_add_overflow(number_, other, &result)) refuse_overflow(op_, number_, '+', other);
    return {op_, result};
  }
  CheckedSize operator-(int64_t other) const {
    int64_t result = 0;
    if (__builtin_sub_overflow(number_, other, &result)) refuse_overflow(op_, number_, '-', other);
    return {op_, result};
  }
  CheckedSize operator*(int64_t other) const {
    int64_t result = 0;
    if (__builtin_mul_overflow(number_, other, &result)) refuse_overflow(op_, number_, '*', other);
    return {op_, result};
  }
  CheckedSize operator+(CheckedSize other) const { return *this + other.number_; }
  CheckedSize operator-(CheckedSize other) const { return *this - other.number_; }
  CheckedSize operator*(CheckedSize other) const { return *this * other.number_; }

 private:
  const char* op_;
  int64_t number_;
};

}  // namespace tenon::kernels
