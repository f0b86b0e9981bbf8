// SPDX-License-Identifier: Apache-2.0
// Introspection over core/introspect; see tenon/introspect.h.
#include "introspect/introspect.h"

#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/live_count.h"
#include "dispatch/key_set.h"
#include "dispatch/trace.h"
#include "dispatch/trace_record.h"
#include "guard.h"
#include "introspect/explain.h"
#include "introspect/simulator.h"
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

// A text that may be NULL, which is no key's name.
std::string_view text_of(const char* text) { return text != nullptr ? text : ""; }

// Fills a description of which the caller may know more fields than this version.
template <class Find>
void fill_slot(const char* function, tenon_slot_info* out_info, Find&& find) {
  const uint32_t size = out_info->struct_size;
  TENON_CHECK(size >= sizeof(tenon_slot_info), TENON_ERROR_ABI, function,
              ": struct_size must be at least ", sizeof(tenon_slot_info), ", got ", size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(out_info);
  for (uint32_t i = sizeof(tenon_slot_info); i < size; ++i) {
    TENON_CHECK(bytes[i] == 0, TENON_ERROR_ABI, function,
                ": fields unknown to this version must be zero");
  }
  *out_info = find();
  out_info->struct_size = size;
}

}  // namespace

extern "C" {

tenon_status tenon_op_get_slot(const tenon_op* op, tenon_key key, tenon_slot_info* out_info) {
  return guarded([&] {
    fill_slot("tenon_op_get_slot", out_info, [&] { return introspect::slot_info(*op, key); });
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

tenon_status tenon_op_explain(const tenon_op* op, const tenon_value* args, int64_t nargs,
                              tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded(
      [&] { *out_text = text_buffer(introspect::explain_call(*op, args, nargs)).detach(); });
}

tenon_status tenon_trace_begin(tenon_trace** out_trace) {
  *out_trace = nullptr;
  return guarded([&] { *out_trace = tenon::dispatch::begin_trace().detach(); });
}

tenon_status tenon_trace_end(tenon_trace* trace) {
  return guarded([&] { tenon::dispatch::end_trace(*trace); });
}

tenon_status tenon_trace_spans(const tenon_trace* trace, tenon_buffer** out_spans) {
  *out_spans = nullptr;
  return guarded([&] { *out_spans = buffer_of(trace->spans()); });
}

tenon_trace* tenon_trace_retain(tenon_trace* trace) {
  if (trace != nullptr) trace->retain();
  return trace;
}

void tenon_trace_release(tenon_trace* trace) {
  if (trace != nullptr) trace->release();
}

tenon_status tenon_simulator_new(const char* schema, tenon_simulator** out_simulator) {
  *out_simulator = nullptr;
  return guarded([&] {
    const char* text = schema != nullptr ? schema : "f(Tensor x) -> Tensor";
    *out_simulator = tenon::base::make_intrusive<tenon_simulator>(text).detach();
  });
}

tenon_simulator* tenon_simulator_retain(tenon_simulator* simulator) {
  if (simulator != nullptr) simulator->retain();
  return simulator;
}

void tenon_simulator_release(tenon_simulator* simulator) {
  if (simulator != nullptr) simulator->release();
}

tenon_status tenon_simulator_register(tenon_simulator* simulator, const char* const* keys,
                                      int64_t nkeys, uint32_t flags) {
  return guarded([&] {
    TENON_CHECK_ARG(nkeys >= 0, "tenon_simulator_register: nkeys must be at least 0, got ", nkeys);
    TENON_CHECK_ARG(keys != nullptr || nkeys == 0,
                    "tenon_simulator_register: keys must be an address, got NULL for ", nkeys,
                    " keys");
    std::vector<std::string_view> names;
    for (int64_t i = 0; i < nkeys; ++i) names.push_back(text_of(keys[i]));
    simulator->add(names, flags);
  });
}

tenon_status tenon_simulator_remove(tenon_simulator* simulator, const char* key) {
  return guarded([&] { simulator->remove(text_of(key)); });
}

tenon_status tenon_simulator_get_slot(const tenon_simulator* simulator, tenon_key key,
                                      tenon_slot_info* out_info) {
  return guarded([&] {
    fill_slot("tenon_simulator_get_slot", out_info, [&] { return simulator->slot_info(key); });
  });
}

tenon_status tenon_simulator_print(const tenon_simulator* simulator, uint32_t what,
                                   tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(simulator->print(what)).detach(); });
}

tenon_status tenon_simulator_explain(const tenon_simulator* simulator, tenon_keyset keys,
                                     tenon_buffer** out_text) {
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(simulator->explain(keys)).detach(); });
}

}  // extern "C"
