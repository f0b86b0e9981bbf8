// SPDX-License-Identifier: Apache-2.0
// Profile listeners: called for each dispatch of their thread. They cost nothing while none is set,
// because only a thread with a listener takes the slow path.
#pragma once

#include "dispatch/kernel.h"
#include "tenon/profile.h"

namespace tenon::dispatch {

/// Sets the calling thread's listener, or removes it if NULL. The deleter of the previous listener
/// runs once that has returned. Takes over `ctx`, even if this throws TENON_ERROR_OUT_OF_MEMORY.
void set_profile_listener(tenon_profile_listener listener, void* ctx, tenon_deleter deleter);

/// Calls the listener, unless there is none or the listener itself makes the call.
void notify_profile_listener(const tenon_op* op, tenon_keyset keys, const Kernel& kernel,
                             bool redispatch, int32_t depth);

}  // namespace tenon::dispatch
