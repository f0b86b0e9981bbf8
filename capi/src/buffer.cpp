// SPDX-License-Identifier: Apache-2.0
// Buffers; see tenon/buffer.h.
#include "value/buffer.h"

#include "guard.h"
#include "not_null.h"
#include "tenon/buffer.h"

using tenon::capi::guarded;

extern "C" {

tenon_status tenon_buffer_new(int64_t size, tenon_buffer** out_buffer) {
  TENON_REQUIRE(out_buffer);
  *out_buffer = nullptr;
  return guarded([&] { *out_buffer = tenon_buffer::make(size); });
}

tenon_status tenon_buffer_wrap(void* data, int64_t size, void* ctx, tenon_deleter deleter,
                               tenon_buffer** out_buffer) {
  TENON_REQUIRE_OWNED(out_buffer, ctx, deleter);
  *out_buffer = nullptr;
  return guarded([&] { *out_buffer = tenon_buffer::wrap(data, size, ctx, deleter); });
}

tenon_buffer* tenon_buffer_retain(tenon_buffer* buffer) {
  if (buffer != nullptr) buffer->retain();
  return buffer;
}

void tenon_buffer_release(tenon_buffer* buffer) {
  if (buffer != nullptr) buffer->release();
}

void* tenon_buffer_data(const tenon_buffer* buffer) {
  TENON_NEVER_NULL(buffer);
  return buffer->data();
}

int64_t tenon_buffer_size(const tenon_buffer* buffer) {
  TENON_NEVER_NULL(buffer);
  return buffer->size();
}

}  // extern "C"
