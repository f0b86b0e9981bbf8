// SPDX-License-Identifier: Apache-2.0
// Introspection over core/introspect; see tenon/introspect.h.
#include "introspect/introspect.h"

#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/live_count.h"
#include "dispatch/key_set.h"
#include "dispatch/trace.h"
#include "guard.h"
#include "value/buffer.h"

using tenon::capi::guarded;
using tenon::value::Buffer;
using tenon::value::text_buffer;

namespace introspect = tenon::introspect;

namespace {

template <class T>
Buffer* buffer_of(const std::vector<T>& elements) {
  const size_t size = elements.size() * sizeof(T);
  Buffer* buffer = Buffer::make(static_cast<int64_t>(size));
  if (size != 0) std::memcpy(buffer->data(), elements.data(), size);
  return buffer;
}

}  // namespace

extern "C" {

tenon_status tenon_op_get_slot(const tenon_op* op, tenon_key key, tenon_slot_info* out_info) {
  return guarded([&] {
    const uint32_t size = out_info->struct_size;
    TENON_CHECK(size >= sizeof(tenon_slot_info), TENON_ERROR_ABI,
                "tenon_op_get_slot: struct_size must be at least ", sizeof(tenon_slot_info),
                ", got ", size);
    const auto* bytes = reinterpret_cast<const unsigned char*>(out_info);
    for (uint32_t i = sizeof(tenon_slot_info); i < size; ++i) {
      TENON_CHECK(bytes[i] == 0, TENON_ERROR_ABI,
                  "tenon_op_get_slot: fields unknown to this version must be zero");
    }
    *out_info = introspect::slot_info(*op, key);
    out_info->struct_size = size;
  });
}

tenon_status tenon_key_list(tenon_buffer** out_keys) {
  *out_keys = nullptr;
  return guarded([&] { *out_keys = buffer_of(introspect::list_keys()); });
}

tenon_status tenon_op_list(tenon_buffer** out_ops) {
  *out_ops = nullptr;
  return guarded([&] { *out_ops = buffer_of(introspect::list_operators()); });
}

tenon_status tenon_op_list_dangling(tenon_buffer** out_ops) {
  *out_ops = nullptr;
  return guarded([&] { *out_ops = buffer_of(introspect::list_dangling()); });
}

tenon_status tenon_op_tags(const tenon_op* op, tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(introspect::print_tags(*op)).detach(); });
}

tenon_status tenon_op_dump(const tenon_op* op, tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(introspect::dump_registrations(*op)).detach(); });
}

tenon_status tenon_op_dump_table(const tenon_op* op, tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(introspect::dump_table(*op)).detach(); });
}

tenon_status tenon_op_check_invariants(const tenon_op* op) {
  return guarded([&] { introspect::check_invariants(op); });
}

int64_t tenon_live_count(uint32_t kind) { return tenon::base::live_count(kind); }

const char* tenon_live_name(uint32_t kind) { return tenon::base::live_name(kind); }

tenon_status tenon_trace_set(tenon_tracer tracer, void* ctx) {
  return guarded([&] { tenon::dispatch::set_tracer(tracer, ctx); });
}

}  // extern "C"
