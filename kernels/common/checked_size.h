// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sizes and strides that may come from a user: CheckedSize for sizes,
// wrapped_product() and wrapped_sum() for strides and offsets.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tenon::kernels {

// Raises "<op>: sizes must fit into 63 bits, got <a> <sign> <b>".
[[noreturn, gnu::cold]] void refuse_overflow(const char* op, int64_t a, char sign, int64_t b);

// A number that becomes a size. An operation whose result does not fit int64 throws an error of the
// operator, so that a user's numbers never wrap. `op` must outlive the number.
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

// Products and sums modulo 2^64, as cheap as plain ones. The stride of a dim with fewer than two
// elements may be any number, and numbers computed from it may wrap, since they address no element.
// A view whose offset has wrapped fails the check that its elements are inside the storage.
inline int64_t wrapped_product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline int64_t wrapped_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

// Returns the stride to keep for a dim of the given size. Loops step once past the last element, so
// the stride of a dim with fewer than two elements is kept small enough for the address to exist.
inline constexpr int64_t kMostUnused = int64_t{1} << 40;  // elements of at most 16 bytes
inline int64_t kept_stride(int64_t size, int64_t stride) {
  return size > 1 ? stride : std::min(stride, kMostUnused);
}

// Returns ceil(a / b) for a >= 0 and b > 0, without computing a + b, which may overflow.
inline int64_t ceil_quotient(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace tenon::kernels
