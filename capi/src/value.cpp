// SPDX-License-Identifier: Apache-2.0
// Values and buffers; see tenon/value.h.
#include "value/value.h"

#include "base/check.h"
#include "guard.h"
#include "tenon/value.h"

using tenon::capi::guarded;
namespace value_ = tenon::value;

extern "C" {

tenon_status tenon_buffer_new(int64_t size, tenon_buffer** out_buffer) {
  *out_buffer = nullptr;
  return guarded([&] { *out_buffer = tenon_buffer::make(size); });
}

tenon_status tenon_buffer_wrap(void* data, int64_t size, void* ctx, tenon_deleter deleter,
                               tenon_buffer** out_buffer) {
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

void* tenon_buffer_data(const tenon_buffer* buffer) { return buffer->data(); }

int64_t tenon_buffer_size(const tenon_buffer* buffer) { return buffer->size(); }

tenon_status tenon_value_copy(const tenon_value* value, tenon_value* out_value) {
  // `out_value` may be `value` itself, so it is overwritten last.
  tenon_value copy{};
  const tenon_status status = guarded([&] { copy = value_::copy(*value); });
  *out_value = copy;
  return status;
}

void tenon_value_clear(tenon_value* value) { value_::clear(value); }

void tenon_value_clear_n(tenon_value* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) value_::clear(&values[i]);
}

tenon_status tenon_value_new_string(const char* text, int64_t size, tenon_value* out_value) {
  *out_value = {};
  return guarded([&] {
    TENON_CHECK_ARG(size >= 0, "tenon_value_new_string: size must be >= 0, got ", size);
    TENON_CHECK_ARG(text != nullptr || size == 0,
                    "tenon_value_new_string: text must be an address, got NULL for ", size,
                    " bytes");
    *out_value = value_::new_string({text, static_cast<size_t>(size)});
  });
}

tenon_status tenon_value_new_list(uint16_t tag, const void* elements, int64_t count,
                                  tenon_value* out_value) {
  *out_value = {};
  return guarded([&] { *out_value = value_::new_list(tag, elements, count); });
}

const char* tenon_tag_name(uint16_t tag) { return value_::tag_name(tag); }

tenon_status tenon_value_print(const tenon_value* value, tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded([&] { *out_text = value_::text_buffer(value_::print(*value)).detach(); });
}

}  // extern "C"
