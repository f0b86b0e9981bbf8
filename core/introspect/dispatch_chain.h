// SPDX-License-Identifier: Apache-2.0
// The kernels that a call reaches from its highest key down by redispatching.
#pragma once

#include <string>

#include "dispatch/built_in.h"
#include "dispatch/operator_entry.h"
#include "tenon/introspect.h"
#include "tenon/key.h"
#include "tenon/value.h"

namespace tenon::introspect {

/// The outcome of dispatching on a key set.
struct DispatchStep {
  tenon_key key = TENON_KEY_UNDEFINED;       // the key whose slot is called
  tenon_keyset keys = 0;                     // the set without fallthrough keys above `key`
  const dispatch::Kernel* kernel = nullptr;  // NULL: no kernel serves the key
  uint32_t provenance = TENON_PROVENANCE_MISSING;
};

/// Returns the step that a key set leads to. Requires the registry's lock.
DispatchStep find_step(const tenon_op& op, tenon_keyset keys);

using dispatch::Arguments;

/// Returns the functionalities of a set whose slots all fall through, so no call dispatches to
/// them. Requires the registry's lock.
tenon_keyset skipped_always(const tenon_op& op, tenon_keyset keys);

/// Returns lines, indented by two or four, about a call with this key set: which keys are skipped,
/// which kernel runs, why, and what it reaches by redispatching. `dropped` are the functionalities
/// that skipped_always() removed from the set; `arguments` is NULL if only the key set is known.
/// Requires the registry's lock.
std::string describe_chain(const tenon_op& op, tenon_keyset keys, tenon_keyset dropped,
                           const Arguments* arguments);

/// Returns "mm_cpu (C++ at mm.cpp:12)", or as much of it as is known.
std::string kernel_text(const dispatch::Kernel& kernel);

}  // namespace tenon::introspect
