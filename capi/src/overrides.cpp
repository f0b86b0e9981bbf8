// SPDX-License-Identifier: Apache-2.0
// Carriers and wrapper tensors; see tenon/overrides.h.
#include "tenon/overrides.h"

#include "base/check.h"
#include "guard.h"
#include "value/carrier.h"

namespace value = tenon::value;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_carrier_new(const tenon_value* content, tenon_tensor** out_tensor) {
  *out_tensor = nullptr;
  return guarded([&] { *out_tensor = value::new_carrier(*content).detach(); });
}

const tenon_value* tenon_carrier_value(const tenon_tensor* tensor) {
  return value::carried(*tensor);
}

tenon_status tenon_wrapper_new(const tenon_object_type* type, void* self,
                               const tenon_wrapper_options* options, tenon_tensor** out_tensor) {
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kNew = "tenon_wrapper_new";
    const auto ndim = options->ndim;
    TENON_CHECK_ARG(ndim >= 0 && ndim <= TENON_TENSOR_MAX_DIMS, kNew, ": ndim must be in [0, ",
                    TENON_TENSOR_MAX_DIMS, "], got ", ndim);
    TENON_CHECK_ARG(options->sizes != nullptr || ndim == 0, kNew,
                    ": sizes must be an address, got NULL for ", ndim, " dims");
    *out_tensor = value::new_wrapper(type, self, {options->sizes, static_cast<size_t>(ndim)},
                                     options->dtype, options->device)
                      .detach();
  });
}

tenon_object* tenon_wrapper_object(const tenon_tensor* tensor) { return value::wrapped(*tensor); }

}  // extern "C"
