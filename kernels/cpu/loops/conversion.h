// SPDX-License-Identifier: Apache-2.0
// Conversion between elements in memory and elements that a loop computes, a block at a time.
#pragma once

#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/pointwise_loops.h"

namespace tenon::kernels::cpu {

// Size of the widest element in bytes.
inline constexpr int64_t kWidest = 16;

// Returns the dtype in which a loop computes or moves elements of a dtype.
inline Dtype computed(Dtype dtype, Reads reads = Reads::Numbers) {
  return static_cast<Dtype>(computed_dtype(static_cast<tenon_dtype>(dtype), reads));
}

// Takes two steps if the intermediate dtype differs from both ends: an integer that is promoted to
// float16 is rounded to float16 before it is computed as float.
class Conversion {
 public:
  Conversion() = default;
  Conversion(Dtype from, Dtype through, Dtype to)
      : has_second_(from != through && through != to),
        through_size_(size_of(through)),
        first_(from != through ? through : to, from) {
    if (has_second_) second_ = Cast(to, through);
  }

  // Converts `count` elements. Strides are in bytes; `between` has room for `count` elements of any
  // dtype.
  void run(char* to, int64_t to_stride, char* from, int64_t from_stride, int64_t count,
           char* between) const {
    if (!has_second_) return first_.run(to, to_stride, from, from_stride, count);
    first_.run(between, through_size_, from, from_stride, count);
    second_.run(to, to_stride, between, through_size_, count);
  }

 private:
  bool has_second_ = false;
  int64_t through_size_ = 0;
  Cast first_;
  Cast second_;
};

}  // namespace tenon::kernels::cpu
