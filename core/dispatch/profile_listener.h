// SPDX-License-Identifier: Apache-2.0
// Profile listeners: told of each dispatch of their thread. Cost nothing while there is none,
// because a thread that has one takes the slow path.
#pragma once

#include "dispatch/kernel.h"
#include "tenon/profile.h"

namespace tenon::dispatch {

/// Sets or (NULL) removes the calling thread's listener; the deleter of the one before runs, once
/// that one has returned. Takes over `ctx`, also when it throws TENON_ERROR_OUT_OF_MEMORY.
void set_profile_listener(tenon_profile_listener listener, void* ctx, tenon_deleter deleter);

/// Tells the listener, if there is one and it is not itself calling.
void tell_profile_listener(const tenon_op* op, tenon_keyset keys, const Kernel& kernel,
                           bool redispatch, int32_t depth);

}  // namespace tenon::dispatch
