// SPDX-License-Identifier: Apache-2.0
// Explains calls in words: which keys they have, which kernel serves them, why, and what is below.
#pragma once

#include <cstdint>
#include <string>

#include "dispatch/operator_entry.h"
#include "tenon/value.h"

namespace tenon::introspect {

/// What a call of this thread would do; see tenon_op_explain.
std::string explain_call(const tenon_op& op, const tenon_value* args, int64_t nargs);

/// What a call with this key set would do, of an operator that nobody can call. Needs the
/// registry's lock.
std::string explain_keys_locked(const tenon_op& op, tenon_keyset keys);

}  // namespace tenon::introspect
