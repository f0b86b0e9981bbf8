// SPDX-License-Identifier: Apache-2.0
// Warnings: passed to the handler that the host sets, once per site if requested.
#pragma once

#include "tenon/warning.h"

namespace tenon::base {

/// See tenon_warning_set_handler. Throws std::bad_alloc, with `ctx` deleted.
void set_warning_handler(tenon_warning_fn handler, void* ctx, tenon_deleter deleter);

/// See tenon_warning_set_default_handler. Throws std::bad_alloc, with `ctx` deleted.
void set_default_warning_handler(tenon_warning_fn handler, void* ctx, tenon_deleter deleter);

/// Returns true if a handler is installed. Otherwise callers can skip formatting the message.
bool has_warning_handler() noexcept;

/// Calls the handler and returns its status; TENON_OK if there is none. `op` is the running
/// operator's name, "" if there is none. The caller holds no lock.
tenon_status warn(const char* category, const char* message, const char* op);

/// Like warn(), but only the first time for a site; see tenon_warning_emit_once. Throws
/// std::bad_alloc.
tenon_status warn_once(const void* site, const char* category, const char* message, const char* op);

/// See tenon_warning_reset_once. Throws std::bad_alloc.
void forget_warned_sites();

}  // namespace tenon::base
