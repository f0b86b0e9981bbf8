// SPDX-License-Identifier: Apache-2.0
// Device providers; see tenon/device_provider.h.
#include "tensor/device_provider.h"

#include "guard.h"
#include "not_null.h"
#include "tenon/device_provider.h"

using tenon::capi::guarded;
namespace tensor = tenon::tensor;

extern "C" {

tenon_status tenon_device_provider_register(const tenon_device_provider* provider) {
  TENON_REQUIRE(provider);
  return guarded([&] { tensor::register_provider(*provider); });
}

tenon_status tenon_device_provider_get(int32_t device_type,
                                       const tenon_device_provider** out_provider) {
  TENON_REQUIRE(out_provider);
  *out_provider = nullptr;
  return guarded([&] { *out_provider = &tensor::require_provider(device_type); });
}

}  // extern "C"
