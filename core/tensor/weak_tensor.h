// SPDX-License-Identifier: Apache-2.0
// A counted handle of a weak reference to a tensor; WeakTensor of tensor.h is the reference itself.
#pragma once

#include "base/intrusive_ptr.h"
#include "tenon/weak_tensor.h"
#include "tensor/tensor.h"

/// See tenon_weak_tensor_new.
struct tenon_weak_tensor final : tenon::base::RefCounted<tenon_weak_tensor> {
 public:
  static tenon_weak_tensor* make(tenon_tensor* tensor);
  static void destroy(tenon_weak_tensor* weak) noexcept;

  tenon::tensor::TensorPtr lock() const noexcept { return tensor_.lock(); }

 private:
  explicit tenon_weak_tensor(tenon_tensor* tensor) noexcept : tensor_(tensor) {}

  const tenon::tensor::WeakTensor tensor_;
};
