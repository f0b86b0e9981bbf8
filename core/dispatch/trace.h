// SPDX-License-Identifier: Apache-2.0
// The dispatch trace: tells a thread's tracer of each of its dispatches. Costs nothing while off,
// because a thread that traces takes the slow path.
#pragma once

#include "dispatch/kernel.h"
#include "tenon/introspect.h"

namespace tenon::dispatch {

/// Sets or (NULL) removes the calling thread's tracer. Throws TENON_ERROR_OUT_OF_MEMORY.
void set_tracer(tenon_tracer tracer, void* ctx);

/// Tells the tracer, if there is one and it is not itself calling.
void trace_dispatch(const tenon_op* op, tenon_keyset keys, const Kernel& kernel, bool redispatch,
                    int32_t depth);

}  // namespace tenon::dispatch
