// SPDX-License-Identifier: Apache-2.0
// Modes; see tenon/mode.h.
#include "override/mode.h"

#include "guard.h"
#include "tenon/mode.h"

namespace override_ = tenon::override;
using tenon::capi::guarded;

extern "C" {

tenon_status tenon_mode_push(uint32_t kind, tenon_object* mode) {
  return guarded([&] { override_::push_mode(kind, mode); });
}

tenon_status tenon_mode_pop(uint32_t kind, const tenon_object* mode) {
  return guarded([&] { override_::pop_mode(kind, mode); });
}

tenon_object* tenon_mode_get(uint32_t kind, int64_t depth) {
  return override_::mode_at(kind, depth);
}

}  // extern "C"
