// SPDX-License-Identifier: Apache-2.0
// Devices: names and copies; see tenon/device.h.
#include "tensor/device.h"

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "tenon/device.h"
#include "tensor/device_provider.h"

using tenon::capi::guarded;
namespace tensor = tenon::tensor;

extern "C" {

tenon_status tenon_device_parse(const char* text, tenon_device* out_device) {
  TENON_REQUIRE(out_device);
  *out_device = {-1, -1};
  return guarded([&] {
    TENON_CHECK_ARG(text != nullptr, "tenon_device_parse: device must be given, got NULL");
    *out_device = tensor::parse_device(text);
  });
}

const char* tenon_device_type_name(int32_t type) { return tensor::device_type_name(type); }

tenon_status tenon_device_count(int32_t device_type, int32_t* out_count) {
  TENON_REQUIRE(out_count);
  *out_count = 0;
  return guarded([&] { *out_count = tensor::device_count(device_type); });
}

tenon_status tenon_device_copy(void* dst, const tenon_device* dst_device, const void* src,
                               const tenon_device* src_device, int64_t nbytes, int32_t blocking) {
  TENON_REQUIRE(dst_device);
  TENON_REQUIRE(src_device);
  return guarded(
      [&] { tensor::copy_bytes(dst, *dst_device, src, *src_device, nbytes, blocking != 0); });
}

}  // extern "C"
