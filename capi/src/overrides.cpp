// SPDX-License-Identifier: Apache-2.0
// Carriers and wrapper tensors; see tenon/overrides.h.
#include "tenon/overrides.h"

#include "base/check.h"
#include "base/read_struct.h"
#include "guard.h"
#include "not_null.h"
#include "value/carrier.h"

namespace value = tenon::value;
using tenon::capi::guarded;

namespace {

// Size of the struct in its first release.
constexpr size_t kFirstWrapperOptions = 104;
static_assert(sizeof(tenon_wrapper_options) >= kFirstWrapperOptions);

}  // namespace

extern "C" {

tenon_status tenon_carrier_new(const tenon_value* content, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  TENON_REQUIRE(content, out_tensor);
  *out_tensor = nullptr;
  return guarded([&] { *out_tensor = value::new_carrier(*content).detach(); });
}

const tenon_value* tenon_carrier_value(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return value::carried(*tensor);
}

tenon_status tenon_wrapper_new(const tenon_object_type* type, void* self,
                               const tenon_wrapper_options* options, tenon_tensor** out_tensor) {
  TENON_REQUIRE(out_tensor);
  *out_tensor = nullptr;
  return guarded([&] {
    constexpr const char* kNew = "tenon_wrapper_new";
    TENON_CHECK_ARG(options != nullptr, kNew, ": options must be given, got NULL");
    const auto whole = tenon::base::read_struct(kNew, kFirstWrapperOptions, *options);
    tenon::base::check_reserved(kNew, whole.reserved0, whole.reserved1, whole.reserved);
    *out_tensor = value::new_wrapper(type, self, whole).detach();
  });
}

tenon_object* tenon_wrapper_object(const tenon_tensor* tensor) {
  TENON_NEVER_NULL(tensor);
  return value::wrapped(*tensor);
}

}  // extern "C"
