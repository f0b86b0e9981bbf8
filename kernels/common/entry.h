// SPDX-License-Identifier: Apache-2.0
// The C functions that stand between the dispatcher and a family's routine: one boxed for all
// operators, one typed for each signature.
#pragma once

#include "kernels/common/call.h"

namespace tenon::kernels {

// A kernel whose ctx is an OperatorForm.
tenon_status boxed_entry(void* ctx, const tenon_op* op, tenon_keyset keys, tenon_stack* stack);

// The typed entry for a signature such as "TTv>T" (kernel.h): it packs what it is given into values
// and goes on as the boxed one. Throws for a signature without one: entry.cpp lists them.
tenon_typed_fn typed_entry(const char* op, const char* signature);

}  // namespace tenon::kernels
