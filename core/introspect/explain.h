// SPDX-License-Identifier: Apache-2.0
// Explains calls in words: their keys, the kernel that serves them and why, and the kernels below
// it.
#pragma once

#include <cstdint>
#include <string>

#include "dispatch/operator_entry.h"
#include "tenon/value.h"

namespace tenon::introspect {

/// Explains what a call on this thread would do; see tenon_op_explain.
std::string explain_call(const tenon_op& op, const tenon_value* args, int64_t nargs);

/// Explains what a call with this key set would do, for an operator that cannot be called. Requires
/// the registry's lock.
std::string explain_keys_locked(const tenon_op& op, tenon_keyset keys);

}  // namespace tenon::introspect
