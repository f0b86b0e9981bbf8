// SPDX-License-Identifier: Apache-2.0
// Shared by fused optimizer steps: tensors as flat memory, and one loop over several of them,
// compiled for three instruction sets and distributed over threads.
#pragma once

#include <optional>

#include "kernels/common/families/routine.h"
#include "kernels/common/maths/maths.h"
#include "kernels/cpu/loops/cast.h"
#include "kernels/cpu/loops/independent.h"
#include "kernels/cpu/parallel_loop.h"
#include "kernels/cpu/vector_level.h"

namespace tenon::kernels::cpu {

// One tensor of a step as a block of memory, in an order that all tensors of the step share: the
// tensor itself if possible, otherwise a copy that is written back.
class StepTensor {
 public:
  StepTensor(const Tensor& tensor, const Tensor& like) : tensor_(tensor), block_(tensor) {
    if (tensor.strides() == like.strides() &&
        is_non_overlapping_and_dense(tensor.sizes(), tensor.strides())) {
      return;
    }
    block_ = Tensor::empty(tensor.sizes(), tensor.dtype(), {},
                           preserving_strides(like.sizes(), like.strides()));
    cast(block_.info(), tensor.info());
  }
  template <class T>
  T* data() const {
    return static_cast<T*>(block_.raw_data());
  }
  void finish() {
    if (block_.get() != tensor_.get()) cast(tensor_.info(), block_.info());
  }

 private:
  Tensor tensor_;
  Tensor block_;
};

// Returns the number in a tensor of one element.
inline double number_in(const Tensor& tensor) {
  const Tensor number = Tensor::empty(tensor.sizes(), Dtype::F64);
  if (number.numel() != 1) {
    fail(TENON_ERROR_INVALID_ARGUMENT,
         {"aten: a tensor that is used as a number must have one element, got sizes ",
          tensor.sizes()});
  }
  cast(number.info(), tensor.info());
  return *number.data<double>();
}

// Returns true if the step is skipped because its gradients contained an infinity.
inline bool is_skipped(const Call& call, int k) {
  const auto found = call.get<OptionalTensor>(k);
  return found && number_in(*found) == 1;
}
// Returns the divisor of the gradients; 1 if there is none.
inline double grad_scale_of(const Call& call, int k) {
  const auto scale = call.get<OptionalTensor>(k);
  return scale ? number_in(*scale) : 1;
}

// Calls `Step::at(i)` for a range of elements, which are independent.
template <class Step>
void step_base(const Step& given, int64_t begin, int64_t end) {
  const Step step = given;
  TENON_INDEPENDENT
  for (int64_t i = begin; i < end; ++i) step.at(i);
}
#if defined(TENON_AVX2)
template <class Step>
TENON_AVX2 void step_avx2(const Step& given, int64_t begin, int64_t end) {
  const Step step = given;
  TENON_INDEPENDENT
  for (int64_t i = begin; i < end; ++i) step.at(i);
}
template <class Step>
TENON_AVX512 void step_avx512(const Step& given, int64_t begin, int64_t end) {
  const Step step = given;
  TENON_INDEPENDENT
  for (int64_t i = begin; i < end; ++i) step.at(i);
}
#endif

template <class Step>
void run_step(const Step& step, int64_t count) {
  parallel_range(count, [&](int64_t begin, int64_t end) {
#if defined(TENON_AVX2)
    if (vector_level == 2) return step_avx512(step, begin, end);
    if (vector_level == 1) return step_avx2(step, begin, end);
#endif
    step_base(step, begin, end);
  });
}

}  // namespace tenon::kernels::cpu
