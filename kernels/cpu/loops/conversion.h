// SPDX-License-Identifier: Apache-2.0
// Conversion: from elements in memory to those that a loop computes, or back, a block at a time.
#pragma once

#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/pointwise_loops.h"

namespace tenon::kernels::cpu {

// Bytes of the widest element.
inline constexpr int64_t kWidest = 16;

// The dtype that a loop computes elements of a dtype in, or moves them as.
inline Dtype computed(Dtype dtype, Reads reads = Reads::Numbers) {
  return static_cast<Dtype>(computed_dtype(static_cast<tenon_dtype>(dtype), reads));
}

// Two steps where the dtype between differs from both: an integer that is asked for as float16 is
// rounded to that before it is computed as float.
class Conversion {
 public:
  Conversion() = default;
  Conversion(Dtype from, Dtype through, Dtype to)
      : has_second_(from != through && through != to),
        through_size_(size_of(through)),
        first_(from != through ? through : to, from) {
    if (has_second_) second_ = Cast(to, through);
  }

  // Strides are in bytes. `between` has room for `count` elements of any dtype.
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
