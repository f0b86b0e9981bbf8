// SPDX-License-Identifier: Apache-2.0
#include "tensor/weak_tensor.h"

#include "base/check.h"
#include "base/live_count.h"

tenon_weak_tensor* tenon_weak_tensor::make(tenon_tensor* tensor) {
  TENON_CHECK_ARG(tensor != nullptr, "tenon_weak_tensor_new: tensor must be given, got NULL");
  auto* weak = new tenon_weak_tensor(tensor);
  tenon::base::count_live(TENON_HANDLE_WEAK_TENSOR, 1);
  return weak;
}

void tenon_weak_tensor::destroy(tenon_weak_tensor* weak) noexcept {
  tenon::base::count_live(TENON_HANDLE_WEAK_TENSOR, -1);
  delete weak;
}
