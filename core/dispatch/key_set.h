// SPDX-License-Identifier: Apache-2.0
// Operations on key sets: 64 bits that stand for functionalities x backends.
#pragma once

#include <string>

#include "dispatch/dispatch_key.h"

namespace tenon::dispatch {

/// Set of one runtime key. The key must be one.
tenon_keyset keyset_of(tenon_key key);
/// Both bits of a key; false for alias keys and Undefined.
bool has_key(tenon_keyset keys, tenon_key key);
/// Runtime key that a call with this set goes to.
tenon_key highest_key(tenon_keyset keys);
/// All functionalities strictly below the key's (an alias: the lowest it names), all backends.
tenon_keyset keys_below(tenon_key key);
/// Without the key's functionality; backend bits stay.
tenon_keyset remove_key(tenon_keyset keys, tenon_key key);
/// Runtime keys of the set, highest first.
std::vector<tenon_key> keys_in(tenon_keyset keys);
/// Such as "{AutogradCPU, CPU}".
std::string print_keys(tenon_keyset keys);

}  // namespace tenon::dispatch
