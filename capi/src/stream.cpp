// SPDX-License-Identifier: Apache-2.0
// Streams; see tenon/stream.h.
#include "tenon/stream.h"

#include "guard.h"
#include "not_null.h"
#include "tensor/device_provider.h"

using tenon::capi::guarded;
namespace tensor = tenon::tensor;

extern "C" {

tenon_status tenon_stream_current(const tenon_device* device, tenon_stream* out_stream) {
  TENON_REQUIRE(out_stream);
  TENON_REQUIRE(device);
  *out_stream = {};
  return guarded([&] { *out_stream = tensor::current_stream(*device); });
}

tenon_status tenon_stream_set_current(const tenon_stream* stream) {
  TENON_REQUIRE(stream);
  return guarded([&] { tensor::set_current_stream(*stream); });
}

tenon_status tenon_stream_new(const tenon_device* device, tenon_stream* out_stream) {
  TENON_REQUIRE(out_stream);
  TENON_REQUIRE(device);
  *out_stream = {};
  return guarded([&] { *out_stream = tensor::new_stream(*device); });
}

void tenon_stream_release(const tenon_stream* stream) {
  TENON_NEVER_NULL(stream);
  tensor::release_stream(*stream);
}

tenon_status tenon_stream_synchronize(const tenon_stream* stream) {
  TENON_REQUIRE(stream);
  return guarded([&] { tensor::synchronize_stream(*stream); });
}

}  // extern "C"
