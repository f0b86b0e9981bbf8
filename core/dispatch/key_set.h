// SPDX-License-Identifier: Apache-2.0
// Operations on key sets: 64 bits that denote functionalities x backends.
#pragma once

#include <string>

#include "dispatch/dispatch_key.h"

namespace tenon::dispatch {

/// Returns the set of one runtime key.
tenon_keyset keyset_of(tenon_key key);
/// Returns true if a set has both bits of a key; false for alias keys and Undefined.
bool has_key(tenon_keyset keys, tenon_key key);
/// Returns the runtime key that a call with this set is dispatched to.
tenon_key highest_key(tenon_keyset keys);
/// Returns all functionalities strictly below the key's (below the lowest one of an alias), with
/// all backends.
tenon_keyset keys_below(tenon_key key);
/// Returns the set without the key's functionality. Backend bits stay.
tenon_keyset remove_key(tenon_keyset keys, tenon_key key);
/// Returns the runtime keys of a set, highest first.
std::vector<tenon_key> keys_in(tenon_keyset keys);
/// Formats a set, such as "{AutogradCPU, CPU}".
std::string print_keys(tenon_keyset keys);

}  // namespace tenon::dispatch
