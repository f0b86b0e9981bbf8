// SPDX-License-Identifier: Apache-2.0
// Calls with keys that the caller chose: their arguments must be tensors that the backend can read.
#pragma once

#include "base/error.h"
#include "dispatch/snapshot.h"
#include "tenon/op.h"

namespace tenon::dispatch {

/// Returns an error that names the first tensor whose memory the backend of `keys` cannot read, and
/// nothing if there is none. The number of arguments fits the schema.
///
/// A call that computes its keys reaches the kernel of a backend only if no argument is of a higher
/// backend, fake or a stand-in for something else. Explicit keys are held to the same rule. Kernels
/// for Meta read no memory and accept all tensors.
base::ErrorPtr unreadable_argument(const tenon_op& op, const Snapshot& snapshot, tenon_keyset keys,
                                   const tenon_value* args, uint32_t nargs) noexcept;

}  // namespace tenon::dispatch
