// SPDX-License-Identifier: Apache-2.0
// Keys, key sets, and keys declared at run time; see tenon/key.h.
#include "tenon/key.h"

#include "base/check.h"
#include "buffers.h"
#include "dispatch/key_set.h"
#include "dispatch/key_tls.h"
#include "dispatch/registry.h"
#include "guard.h"
#include "introspect/introspect.h"
#include "not_null.h"
#include "tensor/device.h"
#include "value/buffer.h"

namespace dispatch = tenon::dispatch;
namespace introspect = tenon::introspect;
using tenon::capi::buffer_of;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_key_parse(const char* name, tenon_key* out_key) {
  TENON_REQUIRE(out_key);
  *out_key = TENON_KEY_NONE;
  return guarded([&] { *out_key = dispatch::parse_key(name != nullptr ? name : ""); });
}

const char* tenon_key_name(tenon_key key) { return dispatch::key_name(key); }

tenon_status tenon_key_for_device(const char* device_type, tenon_key* out_key) {
  TENON_REQUIRE(out_key);
  *out_key = TENON_KEY_NONE;
  return guarded([&] {
    const std::string_view name = device_type != nullptr ? device_type : "";
    const int32_t number = tenon::tensor::find_device_type(name);
    TENON_CHECK(number >= 0, TENON_ERROR_NOT_FOUND, "device type: name must be one of ",
                tenon::tensor::list_device_types(), ", got \"", name, "\"");
    *out_key = dispatch::make_key(TENON_FUNCTIONALITY_DENSE, static_cast<uint32_t>(number));
  });
}

tenon_status tenon_backend_register(const char* name, int32_t* out_device_type) {
  TENON_REQUIRE(out_device_type);
  *out_device_type = -1;
  return guarded([&] {
    const std::string_view text = name != nullptr ? name : "";
    const int32_t known = tenon::tensor::find_device_type(text);
    TENON_CHECK_ARG(known >= 0 || !dispatch::is_key_name(text),
                    "backend: name must not be that of a key, got \"", text, "\"");
    const int32_t number = tenon::tensor::register_backend_name(text);
    dispatch::name_backend(static_cast<uint32_t>(number), text);
    *out_device_type = number;
  });
}

tenon_status tenon_functionality_register(const char* name, const char* anchor, uint32_t flags,
                                          tenon_key* out_key) {
  TENON_REQUIRE(out_key);
  *out_key = TENON_KEY_NONE;
  return guarded([&] {
    *out_key = dispatch::register_functionality(name != nullptr ? name : "",
                                                anchor != nullptr ? anchor : "", flags);
  });
}

tenon_status tenon_keyset_from_key(tenon_key key, tenon_keyset* out_keys) {
  TENON_REQUIRE(out_keys);
  *out_keys = 0;
  return guarded([&] {
    TENON_CHECK_ARG(dispatch::is_runtime_key(key), "key set: key must be a runtime key, got ",
                    dispatch::key_name(key), " (", key, ")");
    *out_keys = dispatch::keyset_of(key);
  });
}

int32_t tenon_keyset_has(tenon_keyset keys, tenon_key key) {
  return dispatch::has_key(keys, key) ? 1 : 0;
}

tenon_key tenon_keyset_highest(tenon_keyset keys) { return dispatch::highest_key(keys); }

tenon_keyset tenon_keyset_below(tenon_key key) { return dispatch::keys_below(key); }

tenon_keyset tenon_keyset_remove(tenon_keyset keys, tenon_key key) {
  tenon_keyset left = keys;
  const tenon_status status = guarded([&] { left = dispatch::remove_key(keys, key); });
  return status == TENON_OK ? left : keys;
}

tenon_status tenon_keyset_print(tenon_keyset keys, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  *out_text = nullptr;
  return guarded(
      [&] { *out_text = tenon::value::text_buffer(dispatch::print_keys(keys)).detach(); });
}

tenon_keyset tenon_keyset_included(void) { return dispatch::included_keys(); }

tenon_keyset tenon_keyset_excluded(void) { return dispatch::excluded_keys(); }

tenon_status tenon_key_list(tenon_buffer** out_keys) {
  TENON_REQUIRE(out_keys);
  *out_keys = nullptr;
  return guarded([&] { *out_keys = buffer_of(introspect::list_keys()); });
}

}  // extern "C"
