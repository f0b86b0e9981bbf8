// SPDX-License-Identifier: Apache-2.0
// Conversion: from elements in memory to those that a loop computes, or back, a block at a time.
#pragma once

#include "kernels/cpu/cast.h"
#include "kernels/cpu/pointwise_loops.h"

namespace tenon::kernels::cpu {

// Bytes of the widest element.
inline constexpr int64_t kWidest = 16;

// The dtype that a loop computes elements of a dtype in, or moves them as.
inline Dtype computed(Dtype dtype, bool moves) {
  return static_cast<Dtype>(computed_dtype(static_cast<tenon_dtype>(dtype), moves));
}

// Two steps where the dtype between differs from both: an integer that is asked for as float16 is
// rounded to that before it is computed as float.
class Conversion {
 public:
  Conversion() = default;
  Conversion(Dtype from, Dtype through, Dtype to)
      : through_size_(size_of(through)),
        first_(cast_loop(from != through ? through : to, from)),
        second_(from != through && through != to ? cast_loop(to, through) : nullptr) {}

  // Strides are in bytes. `between` has room for `count` elements of any dtype.
  void run(char* to, int64_t to_stride, char* from, int64_t from_stride, int64_t count,
           char* between) const {
    if (second_ == nullptr) return step(first_, to, to_stride, from, from_stride, count);
    step(first_, between, through_size_, from, from_stride, count);
    step(second_, to, to_stride, between, through_size_, count);
  }

 private:
  static void step(Loop loop, char* to, int64_t to_stride, char* from, int64_t from_stride,
                   int64_t count) {
    char* const data[] = {to, from};
    const int64_t strides[] = {to_stride, from_stride};
    const char unused = 0;
    loop(data, strides, count, &unused);
  }

  int64_t through_size_ = 0;
  Loop first_ = nullptr;
  Loop second_ = nullptr;
};

}  // namespace tenon::kernels::cpu
