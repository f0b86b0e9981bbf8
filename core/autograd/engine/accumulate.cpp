// SPDX-License-Identifier: Apache-2.0
#include "autograd/engine/accumulate.h"

#include "autograd/operators.h"
#include "base/check.h"
#include "base/error.h"
#include "dispatch/transform.h"
#include "tensor/layout.h"

namespace tenon::autograd {

namespace {

using tensor::TensorPtr;

// Returns true if a gradient already has the strides that its leaf should store: those of a dense
// but non-contiguous variable, and row-major strides otherwise.
bool lies_as(const tensor::Tensor& grad, const tensor::Tensor* variable) {
  const bool follows = variable != nullptr && variable->has_storage() &&
                       !variable->is_contiguous() && !variable->is_symbolic() &&
                       tensor::is_dense(variable->size_span(), variable->stride_span());
  if (!follows) return grad.is_contiguous();
  for (int32_t dim = 0; dim < grad.ndim(); ++dim) {
    if (grad.sizes()[dim] != 1 && grad.strides()[dim] != variable->strides()[dim]) return false;
  }
  return true;
}

// Returns a gradient to store as the leaf's first one. Clones it if other references share its
// memory, because later gradients are added to it in place.
TensorPtr own(const Node& leaf, TensorPtr grad, bool recorded) {
  const TensorPtr variable = leaf.copy_variable();
  // A mode may have made a real leaf fake for the calls that were recorded.
  TENON_CHECK(variable == nullptr || variable->is_fake() == grad->is_fake(), TENON_ERROR_STATE,
              "backward: gradient of a real leaf must be real, got a fake tensor; convert the leaf "
              "to a fake tensor (tenon_tensor_copy_fake, from_tensor) before using it");
  const bool fits = lies_as(*grad, variable.get());
  if (dispatch::is_alone(*grad) && fits && !recorded) return grad;
  if (fits || recorded || !grad->has_storage() || variable == nullptr) {
    return operators::clone(*grad);
  }
  return operators::copy_as(*grad, variable->size_span(), variable->stride_span());
}

// Puts a gradient that was taken out of its leaf back, unless done() reports that the sum
// succeeded.
class RestoreGradient {
 public:
  RestoreGradient(Node& leaf, const TensorPtr& grad) noexcept : leaf_(leaf), grad_(grad) {}
  ~RestoreGradient() {
    if (grad_ != nullptr) leaf_.try_put_grad(&grad_);
  }
  RestoreGradient(const RestoreGradient&) = delete;
  RestoreGradient& operator=(const RestoreGradient&) = delete;
  void done() noexcept { grad_.reset(); }

 private:
  Node& leaf_;
  TensorPtr grad_;
};

TensorPtr sum(Node& leaf, TensorPtr old, const TensorPtr& grad, bool recorded) {
  RestoreGradient put_back(leaf, old);
  TensorPtr sum = old;
  if (recorded) {
    sum = operators::add(*old, *grad);
  } else {
    operators::add_in_place(*old, *grad);
  }
  put_back.done();
  return sum;
}

}  // namespace

// Note: concurrent passes. Operators must not run under the leaf's lock, so accumulate() takes the
// grad out of the leaf, adds to it without the lock, and puts the sum back. If another thread has
// stored a gradient in the empty leaf in the meantime, putting back fails and the loop adds that
// one as well. Each gradient is therefore owned by one thread or by the leaf at any time, and none
// is lost.
void accumulate(Node& leaf, TensorPtr grad, bool recorded) {
  if (!leaf.requires_grad()) return;  // requires_grad was turned off since the call was recorded
  bool is_own = false;
  while (true) {
    if (TensorPtr old = leaf.set_grad(nullptr)) {
      grad = sum(leaf, std::move(old), grad, recorded);
      is_own = true;
    }
    if (!is_own) {
      grad = own(leaf, std::move(grad), recorded);
      is_own = true;
    }
    // Another thread may have stored a gradient since set_grad(): add that one as well.
    if (leaf.try_put_grad(&grad)) return;
  }
}

}  // namespace tenon::autograd
