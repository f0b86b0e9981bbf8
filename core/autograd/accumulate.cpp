// SPDX-License-Identifier: Apache-2.0
#include "autograd/accumulate.h"

#include "autograd/operators.h"
#include "base/error.h"

namespace tenon::autograd {

namespace {

using tensor::TensorPtr;

// The leaf's first gradient. One whose memory others see would change for them when it is added to.
TensorPtr own(TensorPtr grad, bool recorded) {
  const bool alone = grad->use_count() == 1 && grad->base() == nullptr && grad->has_storage() &&
                     grad->storage()->is_alone() && grad->is_contiguous();
  return alone && !recorded ? grad : operators::clone(*grad);
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
      grad = own(std::move(grad), recorded);
      is_own = true;
    }
    // Another thread may have put one there meanwhile: that is added, too.
    if (leaf.try_put_grad(&grad)) return;
  }
}

}  // namespace tenon::autograd
