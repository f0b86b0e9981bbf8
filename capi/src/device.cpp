// SPDX-License-Identifier: Apache-2.0
// Device providers, copies and streams; see tenon/device.h.
#include "tenon/device.h"

#include "guard.h"
#include "tensor/device_provider.h"

using tenon::capi::guarded;
namespace tensor = tenon::tensor;

extern "C" {

tenon_status tenon_device_register_provider(const tenon_device_provider* provider) {
  return guarded([&] { tensor::register_provider(*provider); });
}

tenon_status tenon_device_provider_get(int32_t device_type,
                                       const tenon_device_provider** out_provider) {
  *out_provider = nullptr;
  return guarded([&] { *out_provider = &tensor::require_provider(device_type); });
}

tenon_status tenon_device_count(int32_t device_type, int32_t* out_count) {
  *out_count = 0;
  return guarded([&] { *out_count = tensor::device_count(device_type); });
}

tenon_status tenon_device_copy(void* dst, const tenon_device* dst_device, const void* src,
                               const tenon_device* src_device, int64_t nbytes, int32_t blocking) {
  return guarded(
      [&] { tensor::copy_bytes(dst, *dst_device, src, *src_device, nbytes, blocking != 0); });
}

tenon_status tenon_stream_current(const tenon_device* device, tenon_stream* out_stream) {
  *out_stream = {};
  return guarded([&] { *out_stream = tensor::current_stream(*device); });
}

tenon_status tenon_stream_set_current(const tenon_stream* stream) {
  return guarded([&] { tensor::set_current_stream(*stream); });
}

tenon_status tenon_stream_new(const tenon_device* device, tenon_stream* out_stream) {
  *out_stream = {};
  return guarded([&] { *out_stream = tensor::new_stream(*device); });
}

void tenon_stream_release(const tenon_stream* stream) { tensor::release_stream(*stream); }

tenon_status tenon_stream_synchronize(const tenon_stream* stream) {
  return guarded([&] { tensor::synchronize_stream(*stream); });
}

}  // extern "C"
