// SPDX-License-Identifier: Apache-2.0
// Simulators; see tenon/simulator.h.
#include "introspect/simulator.h"

#include <vector>

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "tenon/simulator.h"
#include "value/buffer.h"

using tenon::capi::guarded;
using tenon::value::text_buffer;

namespace {

// Converts NULL to "", which is not the name of a key.
std::string_view text_of(const char* text) { return text != nullptr ? text : ""; }

}  // namespace

extern "C" {

tenon_status tenon_simulator_new(const char* schema, tenon_simulator** out_simulator) {
  TENON_REQUIRE(out_simulator);
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
  TENON_REQUIRE(simulator);
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
  TENON_REQUIRE(out_info);
  TENON_REQUIRE(simulator);
  return guarded([&] {
    tenon::capi::fill_struct("tenon_simulator_get_slot", tenon::capi::kFirstSlotInfo, out_info,
                             [&] { return simulator->slot_info(key); });
  });
}

tenon_status tenon_simulator_print(const tenon_simulator* simulator, uint32_t what,
                                   tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(simulator, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(simulator->print(what)).detach(); });
}

tenon_status tenon_simulator_explain(const tenon_simulator* simulator, tenon_keyset keys,
                                     tenon_buffer** out_text) {
  TENON_REQUIRE(out_text);
  TENON_REQUIRE(simulator, out_text);
  *out_text = nullptr;
  return guarded([&] { *out_text = text_buffer(simulator->explain(keys)).detach(); });
}

}  // extern "C"
