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

// Whether a gradient lies in memory as its leaf's tensor does: row-major where that has gaps.
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

// The leaf's first gradient. One whose memory others see would change for them when it is added to.
TensorPtr own(const Node& leaf, TensorPtr grad, bool recorded) {
  const TensorPtr variable = leaf.copy_variable();
  // A mode may have made a real leaf fake for the calls that were recorded.
  TENON_CHECK(variable == nullptr || variable->is_fake() == grad->is_fake(), TENON_ERROR_STATE,
              "backward: gradient of a real leaf must be real, got a fake one; make the leaf fake "
              "before it is used (tenon_tensor_copy_fake, from_tensor)");
  const bool fits = lies_as(*grad, variable.get());
  if (dispatch::is_alone(*grad) && fits && !recorded) return grad;
  if (fits || recorded || !grad->has_storage() || variable == nullptr) {
    return operators::clone(*grad);
  }
  return operators::copy_as(*grad, variable->size_span(), variable->stride_span());
}

// Puts back what was taken out to be added to, unless the sum came to be.
class PutBack {
 public:
  PutBack(Node& leaf, const TensorPtr& grad) noexcept : leaf_(leaf), grad_(grad) {}
  ~PutBack() {
    if (grad_ != nullptr) leaf_.try_put_grad(&grad_);
  }
  PutBack(const PutBack&) = delete;
  PutBack& operator=(const PutBack&) = delete;
  void done() noexcept { grad_.reset(); }

 private:
  Node& leaf_;
  TensorPtr grad_;
};

TensorPtr sum(Node& leaf, TensorPtr old, const TensorPtr& grad, bool recorded) {
  PutBack put_back(leaf, old);
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

void accumulate(Node& leaf, TensorPtr grad, bool recorded) {
  if (!leaf.requires_grad()) return;  // it has stopped asking since
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
    // Another thread may have put one there meanwhile: that is added, too.
    if (leaf.try_put_grad(&grad)) return;
  }
}

}  // namespace tenon::autograd
