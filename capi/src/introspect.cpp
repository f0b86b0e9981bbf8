// SPDX-License-Identifier: Apache-2.0
// Introspection over core/introspect; see tenon/introspect.h.
#include "introspect/introspect.h"

#include "base/live_count.h"
#include "buffers.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "tenon/introspect.h"
#include "value/buffer.h"

using tenon::capi::buffer_of;
using tenon::capi::guarded;
using tenon::value::text_buffer;
namespace introspect = tenon::introspect;

extern "C" {

tenon_status tenon_introspect_get_slot(const tenon_op* op, tenon_key key,
                                       tenon_slot_info* out_info) {
  TENON_REQUIRE(out_info);
  TENON_REQUIRE(op);
  return guarded([&] {
    tenon::capi::fill_struct("tenon_introspect_get_slot", tenon::capi::kFirstSlotInfo, out_info,
                             [&] { return introspect::slot_info(*op, key); });
  });
}

tenon_status tenon_introspect_list_ops(tenon_buffer** out_ops) {
  TENON_REQUIRE(out_ops);
  *out_ops = nullptr;
  return guarded([&] { *out_ops = buffer_of(introspect::list_operators()); });
}

tenon_status tenon_introspect_list_dangling(tenon_buffer** out_ops) {
  TENON_REQUIRE(out_ops);
  *out_ops = nullptr;
  return guarded([&] { *out_ops = buffer_of(introspect::list_dangling()); });
}

tenon_status tenon_introspect_dump(const tenon_op* op, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(op, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(introspect::dump_registrations(*op)).detach(); });
}

tenon_status tenon_introspect_dump_table(const tenon_op* op, tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(op, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(introspect::dump_table(*op)).detach(); });
}

tenon_status tenon_introspect_check(const tenon_op* op) {
  return guarded([&] { introspect::check_invariants(op); });
}

int64_t tenon_introspect_live_count(uint32_t kind) { return tenon::base::live_count(kind); }

uint32_t tenon_introspect_handle_count(void) { return tenon::base::kHandleCount; }

const char* tenon_introspect_handle_name(uint32_t kind) { return tenon::base::live_name(kind); }

}  // extern "C"
