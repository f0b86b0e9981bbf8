// SPDX-License-Identifier: Apache-2.0
// Values; see tenon/value.h.
#include "value/value.h"

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "tenon/value.h"

using tenon::capi::guarded;
namespace value_ = tenon::value;

namespace {

// Stores the value that `make` returns in `out_value`, or NONE if it throws. The value is made in a
// local variable and stored at the end: the compiler may construct a result directly in its
// destination, where an exception would leave a partial value.
template <class Make>
tenon_status make_value(tenon_value* out_value, Make make) {
  tenon_value made;
  const tenon_status status = guarded([&] { made = make(); });
  *out_value = status == TENON_OK ? made : tenon_value{};
  return status;
}

}  // namespace

extern "C" {

tenon_status tenon_value_copy(const tenon_value* value, tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  TENON_REQUIRE(value, out_value);
  // `out_value` may be `value` itself: it is written last.
  return make_value(out_value, [&] { return value_::copy(*value); });
}

void tenon_value_clear(tenon_value* value) {
  TENON_NEVER_NULL(value);
  value_::clear(value);
}

void tenon_value_clear_n(tenon_value* values, int64_t count) {
  for (int64_t i = 0; i < count; ++i) value_::clear(&values[i]);
}

tenon_status tenon_value_new_string(const char* text, int64_t size, tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  return make_value(out_value, [&] {
    TENON_CHECK_ARG(size >= 0, "tenon_value_new_string: size must be >= 0, got ", size);
    TENON_CHECK_ARG(text != nullptr || size == 0,
                    "tenon_value_new_string: text must be given, got NULL for ", size, " bytes");
    return value_::new_string({text, static_cast<size_t>(size)});
  });
}

tenon_status tenon_value_new_list(uint16_t tag, const void* elements, int64_t count,
                                  tenon_value* out_value) {
  TENON_REQUIRE(out_value);
  return make_value(out_value, [&] { return value_::new_list(tag, elements, count); });
}

const char* tenon_tag_name(uint16_t tag) { return value_::tag_name(tag); }

tenon_status tenon_value_print(const tenon_value* value, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(value, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = value_::text_buffer(value_::print(*value)).detach(); });
}

}  // extern "C"
