// SPDX-License-Identifier: Apache-2.0
// The kernels that a call meets from its highest key down, as redispatching reaches them.
#pragma once

#include <string>

#include "dispatch/built_in.h"
#include "dispatch/operator_entry.h"
#include "tenon/introspect.h"
#include "tenon/key.h"
#include "tenon/value.h"

namespace tenon::introspect {

/// Where a key set leads.
struct Step {
  tenon_key key = TENON_KEY_UNDEFINED;       // whose slot is called
  tenon_keyset keys = 0;                     // without what falls through above it
  const dispatch::Kernel* kernel = nullptr;  // NULL: none serves the key
  uint32_t provenance = TENON_PROVENANCE_MISSING;
};

/// The step that a key set leads to. Needs the registry's lock.
Step find_step(const tenon_op& op, tenon_keyset keys);

using dispatch::Arguments;

/// Functionalities of a set whose slots all fall through: no call has them. Needs the registry's
/// lock.
tenon_keyset skipped_always(const tenon_op& op, tenon_keyset keys);

/// Lines, indented by two or four, about a call with this key set: what is skipped, which
/// kernel runs, why, and what redispatching from there reaches. `dropped` is what
/// skipped_always() took from the set before; `arguments` may be NULL where there is only a key
/// set. Needs the registry's lock.
std::string describe_way(const tenon_op& op, tenon_keyset keys, tenon_keyset dropped,
                         const Arguments* arguments);

/// "mm_cpu (C++ at mm.cpp:12)", with what is known of it.
std::string kernel_text(const dispatch::Kernel& kernel);

}  // namespace tenon::introspect
