// SPDX-License-Identifier: Apache-2.0
// Warnings over core/base; see tenon/warning.h. The handler may let a forced unwind pass through.
#include "tenon/warning.h"

#include "base/check.h"
#include "base/warning.h"
#include "dispatch/lookup.h"
#include "guard.h"

using tenon::capi::guarded;

namespace {

const char* running_name() noexcept {
  const tenon_op* op = tenon::dispatch::running_operator();
  return op != nullptr ? op->name() : "";
}

void check_texts(const char* function, const char* category, const char* message) {
  TENON_CHECK_ARG(category != nullptr, function, ": category must be given, got NULL");
  TENON_CHECK_ARG(message != nullptr, function, ": message must be given, got NULL");
}

}  // namespace

extern "C" {

tenon_status tenon_warning_set_handler(tenon_warning_fn handler, void* ctx, tenon_deleter deleter) {
  return guarded([&] { tenon::base::set_warning_handler(handler, ctx, deleter); });
}

tenon_status tenon_warning_set_default_handler(tenon_warning_fn handler, void* ctx,
                                               tenon_deleter deleter) {
  return guarded([&] {
    if (handler == nullptr && deleter != nullptr) deleter(ctx);
    TENON_CHECK_ARG(handler != nullptr,
                    "tenon_warning_set_default_handler: handler must be a function, got NULL");
    tenon::base::set_default_warning_handler(handler, ctx, deleter);
  });
}

tenon_status tenon_warning_emit(const char* category, const char* message) {
  return guarded([&] {
    check_texts("tenon_warning_emit", category, message);
    return tenon::base::warn(category, message, running_name());
  });
}

tenon_status tenon_warning_emit_once(const void* site, const char* category, const char* message) {
  return guarded([&] {
    TENON_CHECK_ARG(site != nullptr, "tenon_warning_emit_once: site must be given, got NULL");
    check_texts("tenon_warning_emit_once", category, message);
    return tenon::base::warn_once(site, category, message, running_name());
  });
}

void tenon_warning_reset_once(void) {
  // If memory is short, the sites are not reset.
  if (guarded([] { tenon::base::forget_warned_sites(); }) != TENON_OK) tenon_error_set(nullptr);
}

}  // extern "C"
