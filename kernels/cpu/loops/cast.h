// SPDX-License-Identifier: Apache-2.0
// Copies elements between CPU tensors of any dtypes and strides.
#pragma once

#include "kernels/common/maths/element.h"
#include "kernels/common/walk.h"

namespace tenon::kernels::cpu {

// How elements of one dtype become those of another: in one step, or by way of a dtype between that
// loses nothing which the other keeps.
class Cast {
 public:
  Cast() = default;
  Cast(Dtype to, Dtype from);

  // Strides are in bytes.
  void run(char* to, int64_t to_stride, char* from, int64_t from_stride, int64_t count) const {
    char* const data[] = {to, from};
    const int64_t strides[] = {to_stride, from_stride};
    run(data, strides, count);
  }
  // Operand 0 of the walk is written.
  void run(const Walk& walk) const { run(walk, walk.raw_data()); }
  // The same from other first elements on.
  void run(const Walk& walk, char* const* base) const;

 private:
  void run(char* const* data, const int64_t* strides, int64_t count) const;
  void run_row(const Walk& walk, char* const* data) const;

  Loop first_ = nullptr;
  Loop second_ = nullptr;
  int64_t between_size_ = 0;  // of an element
};

// A cast that is planned once and run on other memory.
class CastPlan {
 public:
  CastPlan(const tenon_tensor_info& target, const tenon_tensor_info& source);
  // `data` has the first elements of target and source.
  void run(char* const* data) const;

 private:
  Walk walk_;
  Cast cast_;
  bool turns_;
};

// Writes `source`, broadcast to the sizes of `target`, to `target`. Both have CPU memory and do not
// overlap in part.
void cast(const tenon_tensor_info& target, const tenon_tensor_info& source);

}  // namespace tenon::kernels::cpu
