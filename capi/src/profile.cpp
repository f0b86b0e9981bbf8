// SPDX-License-Identifier: Apache-2.0
// Profiles; see tenon/profile.h.
#include "dispatch/profile.h"

#include "base/check.h"
#include "dispatch/profile_listener.h"
#include "guard.h"
#include "not_null.h"
#include "out_struct.h"
#include "tenon/profile.h"

using tenon::capi::guarded;

extern "C" {

tenon_status tenon_profile_set_listener(tenon_profile_listener listener, void* ctx,
                                        tenon_deleter deleter) {
  return guarded([&] { tenon::dispatch::set_profile_listener(listener, ctx, deleter); });
}

tenon_status tenon_profile_begin(int64_t max_spans, tenon_profile** out_profile) {
  TENON_REQUIRE(out_profile);
  *out_profile = nullptr;
  return guarded([&] {
    TENON_CHECK_ARG(max_spans >= 0, "tenon_profile_begin: max_spans must be >= 0, got ", max_spans);
    *out_profile = tenon::dispatch::begin_profile(static_cast<size_t>(max_spans)).detach();
  });
}

tenon_status tenon_profile_end(tenon_profile* profile) {
  TENON_REQUIRE(profile);
  return guarded([&] { tenon::dispatch::end_profile(*profile); });
}

tenon_status tenon_profile_span_count(const tenon_profile* profile, int64_t* out_count,
                                      int64_t* out_dropped) {
  TENON_REQUIRE(out_count, out_dropped);
  TENON_REQUIRE(out_dropped, out_count);
  TENON_REQUIRE(profile, out_count, out_dropped);
  *out_count = *out_dropped = 0;
  return guarded([&] {
    *out_count = static_cast<int64_t>(profile->spans().size());
    *out_dropped = profile->dropped();
  });
}

tenon_status tenon_profile_get_span(const tenon_profile* profile, int64_t index,
                                    tenon_profile_span* out_span) {
  TENON_REQUIRE(out_span);
  TENON_REQUIRE(profile);
  constexpr const char* kGet = "tenon_profile_get_span";
  constexpr size_t kFirstSize = 104;
  static_assert(sizeof(tenon_profile_span) >= kFirstSize);
  return guarded([&] {
    tenon::capi::fill_struct(kGet, kFirstSize, out_span, [&] {
      const auto& spans = profile->spans();
      const auto count = static_cast<int64_t>(spans.size());
      TENON_CHECK_INDEX(index >= 0 && index < count, kGet, ": index must be in [0, ", count,
                        "), got ", index);
      return spans[static_cast<size_t>(index)];
    });
  });
}

tenon_profile* tenon_profile_retain(tenon_profile* profile) {
  if (profile != nullptr) profile->retain();
  return profile;
}

void tenon_profile_release(tenon_profile* profile) {
  if (profile != nullptr) profile->release();
}

}  // extern "C"
