// SPDX-License-Identifier: Apache-2.0
// The tags of an operator, by which its definition describes it to layers that do not know it.
#pragma once

#include <string>
#include <string_view>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// Returns true if an operator is defined with a tag. Takes the registry's lock.
bool is_tagged(const tenon_op& op, std::string_view tag);

/// Returns TEXT of an operator's tag "name=TEXT", for the prefix "name="; "" if it has none. Takes
/// the registry's lock. Throws std::bad_alloc.
std::string tag_value(const tenon_op& op, std::string_view prefix);

}  // namespace tenon::dispatch
