// SPDX-License-Identifier: Apache-2.0
// DualLevel: forward mode, in which calls propagate tangents of tensors.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/forward_ad.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <utility>

#include "tenon/forward_ad.h"
#include "tenon/hpp/error.hpp"
#include "tenon/hpp/tensor.hpp"

// Usage:
//
//   const tenon::autograd::DualLevel level;
//   const tenon::Tensor dual = level.make_dual(x, w);
//   const auto [primal, tangent] = level.unpack_dual(aten::mul(dual, dual));

namespace tenon::inline hpp::autograd {

// A dual level of the calling thread, which is open as long as the object lives. Tensors made by
// make_dual() have a tangent, and so have results of calls with them. A thread has only one level
// at a time. The tangents of a level end with it.
class DualLevel {
 public:
  DualLevel() { check(tenon_dual_enter(&number_)); }
  ~DualLevel() {
    // A destructor cannot report an error: if it runs on another thread, the level stays open.
    if (tenon_dual_leave(number_) != TENON_OK) tenon_error_release(tenon_error_take());
  }
  DualLevel(const DualLevel&) = delete;
  DualLevel& operator=(const DualLevel&) = delete;

  // Makes a view of a tensor that has a tangent, of the tensor's sizes, dtype and device.
  Tensor make_dual(const Tensor& primal, const Tensor& tangent) const {
    tenon_tensor* dual = nullptr;
    check(tenon_dual_make(number_, primal.get(), tangent.get(), &dual));
    return Tensor(dual);
  }
  // Returns an alias without tangent, and the tangent, without handle if there is none.
  std::pair<Tensor, Tensor> unpack_dual(const Tensor& dual) const {
    tenon_tensor* primal = nullptr;
    tenon_tensor* tangent = nullptr;
    check(tenon_dual_unpack(number_, dual.get(), &primal, &tangent));
    return {Tensor(primal), Tensor(tangent)};
  }

 private:
  int64_t number_ = -1;
};

}  // namespace tenon::inline hpp::autograd

#endif
