// SPDX-License-Identifier: Apache-2.0
// Copies elements between CPU tensors of any dtypes and strides.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// Conversion of elements from one dtype to another: in one step, or through an intermediate dtype
// that loses nothing which the target dtype keeps.
class Cast {
 public:
  Cast() = default;
  Cast(Dtype to, Dtype from);

  // Converts `count` elements. Strides are in bytes.
  void run(char* to, int64_t to_stride, char* from, int64_t from_stride, int64_t count) const {
    char* const data[] = {to, from};
    const int64_t strides[] = {to_stride, from_stride};
    run(data, strides, count);
  }
  // Converts all elements of a walk, whose operand 0 is written.
  void run(const Walk& walk) const { run(walk, walk.raw_data()); }
  // Like run(walk), but with other first elements.
  void run(const Walk& walk, char* const* base) const;

 private:
  void run(char* const* data, const int64_t* strides, int64_t count) const;
  void run_row(const Walk& walk, char* const* data) const;

  Loop first_ = nullptr;
  Loop second_ = nullptr;
  int64_t between_size_ = 0;  // size of an intermediate element, in bytes
};

// A cast that is planned once and run on other memory.
class CastPlan {
 public:
  CastPlan(const tenon_tensor_info& target, const tenon_tensor_info& source);
  // `data` are the first elements of target and source.
  void run(char* const* data) const;

 private:
  Walk walk_;
  Cast cast_;
  bool turns_;
};

// Writes `source`, broadcast to the sizes of `target`, to `target`. Both have CPU memory and do not
// overlap partially.
void cast(const tenon_tensor_info& target, const tenon_tensor_info& source);

}  // namespace tenon::kernels::cpu
