// SPDX-License-Identifier: Apache-2.0
// Exchange by DLPack; see tenon/tensor.h.
#include "tensor/dlpack.h"

#include "guard.h"
#include "not_null.h"
#include "tenon/tensor.h"

using tenon::capi::guarded;
namespace tensor_ = tenon::tensor;

extern "C" {

tenon_status tenon_tensor_to_dlpack(tenon_tensor* tensor, void* stream,
                                    DLManagedTensorVersioned** out_managed) {
  TENON_REQUIRE(out_managed);
  TENON_REQUIRE(tensor, out_managed);
  *out_managed = nullptr;
  return guarded([&] { *out_managed = tensor_::to_dlpack(tensor, stream); });
}

tenon_status tenon_tensor_to_dlpack_legacy(tenon_tensor* tensor, void* stream,
                                           DLManagedTensor** out_managed) {
  TENON_REQUIRE(out_managed);
  TENON_REQUIRE(tensor, out_managed);
  *out_managed = nullptr;
  return guarded([&] { *out_managed = tensor_::to_dlpack_legacy(tensor, stream); });
}

tenon_status tenon_tensor_from_dlpack(DLManagedTensorVersioned* managed,
                                      tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] { *out_tensor = tensor_::from_dlpack(managed).detach(); });
}

tenon_status tenon_tensor_from_dlpack_legacy(DLManagedTensor* managed, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] { *out_tensor = tensor_::from_dlpack_legacy(managed).detach(); });
}

}  // extern "C"
