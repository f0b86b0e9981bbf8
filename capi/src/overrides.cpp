// SPDX-License-Identifier: Apache-2.0
// Carriers, wrapper tensors and modes; see tenon/overrides.h.
#include "tenon/overrides.h"

#include "base/check.h"
#include "guard.h"
#include "override/mode.h"
#include "value/carrier.h"

namespace value = tenon::value;
namespace override_ = tenon::override;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_tensor_new_carrier(const tenon_value* content, tenon_tensor** out_tensor) {
  *out_tensor = nullptr;
  return guarded([&] { *out_tensor = value::new_carrier(*content).detach(); });
}

const tenon_value* tenon_tensor_carried(const tenon_tensor* tensor) {
  return value::carried(*tensor);
}

tenon_status tenon_tensor_new_wrapper(const tenon_object_type* type, void* self, int64_t ndim,
                                      const int64_t* sizes, tenon_dtype dtype,
                                      const tenon_device* device, tenon_tensor** out_tensor) {
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kNew = "tenon_tensor_new_wrapper";
    TENON_CHECK_ARG(ndim >= 0 && ndim <= TENON_TENSOR_MAX_DIMS, kNew, ": ndim must be in [0, ",
                    TENON_TENSOR_MAX_DIMS, "], got ", ndim);
    TENON_CHECK_ARG(sizes != nullptr || ndim == 0, kNew,
                    ": sizes must be an address, got NULL for ", ndim, " dims");
    *out_tensor =
        value::new_wrapper(type, self, {sizes, static_cast<size_t>(ndim)}, dtype, device).detach();
  });
}

tenon_object* tenon_tensor_wrapped(const tenon_tensor* tensor) { return value::wrapped(*tensor); }

tenon_object* tenon_value_object(const tenon_value* content) { return value::object_in(*content); }

tenon_status tenon_mode_push(uint32_t kind, tenon_object* mode) {
  return guarded([&] { override_::push_mode(kind, mode); });
}

tenon_status tenon_mode_pop(uint32_t kind) {
  return guarded([&] { override_::pop_mode(kind); });
}

tenon_object* tenon_mode_get(uint32_t kind, int64_t depth) {
  return override_::mode_at(kind, depth);
}

}  // extern "C"
