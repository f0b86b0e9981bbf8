// SPDX-License-Identifier: Apache-2.0
// The C functions between the dispatcher and a family's routine: one boxed function for all
// operators, and one typed function for each signature.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels {

// Boxed kernel function. `ctx` is an OperatorForm.
tenon_status boxed_entry(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

// Returns the typed function for a signature such as "TTv>T" (kernel.h). It packs its parameters
// into values and continues like boxed_entry(). Throws if entry.cpp does not list the signature.
tenon_typed_fn typed_entry(const char* op, const char* signature);

}  // namespace tenon::kernels
