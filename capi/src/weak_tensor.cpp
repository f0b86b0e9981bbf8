// SPDX-License-Identifier: Apache-2.0
// Weak tensors; see tenon/weak_tensor.h.
#include "tensor/weak_tensor.h"

#include "guard.h"
#include "not_null.h"
#include "tenon/weak_tensor.h"

using tenon::capi::guarded;

extern "C" {

tenon_status tenon_weak_tensor_new(tenon_tensor* tensor, tenon_weak_tensor** out_weak) {
  TENON_REQUIRE(out_weak);
  *out_weak = nullptr;
  return guarded([&] { *out_weak = tenon_weak_tensor::make(tensor); });
}

tenon_tensor* tenon_weak_tensor_copy(const tenon_weak_tensor* weak) {
  TENON_NEVER_NULL(weak);
  return weak->lock().detach();
}

tenon_weak_tensor* tenon_weak_tensor_retain(tenon_weak_tensor* weak) {
  if (weak != nullptr) weak->retain();
  return weak;
}

void tenon_weak_tensor_release(tenon_weak_tensor* weak) {
  if (weak != nullptr) weak->release();
}

}  // extern "C"
