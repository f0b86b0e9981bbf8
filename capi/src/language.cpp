// SPDX-License-Identifier: Apache-2.0
// Languages; see tenon/language.h.
#include "base/language.h"

#include "base/check.h"
#include "guard.h"
#include "not_null.h"
#include "tenon/language.h"

using tenon::capi::guarded;

extern "C" {

tenon_status tenon_language_register(const char* name, uint32_t* out_language) {
  TENON_REQUIRE(out_language);
  *out_language = TENON_LANGUAGE_NONE;
  return guarded([&] {
    TENON_CHECK_ARG(name != nullptr, "tenon_language_register: name must be given, got NULL");
    *out_language = tenon::base::register_language(name);
  });
}

const char* tenon_language_name(uint32_t language) { return tenon::base::language_name(language); }

tenon_status tenon_language_set_frames(uint32_t language, tenon_frames_fn frames, void* ctx) {
  return guarded([&] { tenon::base::set_frames(language, frames, ctx); });
}

}  // extern "C"
