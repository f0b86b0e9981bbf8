// SPDX-License-Identifier: Apache-2.0
// Introspection: lists registrations, shows which kernel serves a slot and why, and checks tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dispatch/operator_entry.h"
#include "tenon/introspect.h"

namespace tenon::introspect {

/// Returns "math kernel" and the like for TENON_PROVENANCE_*. Static text.
const char* provenance_name(uint32_t provenance) noexcept;

/// Returns the slot of a runtime key or of Undefined. Throws TENON_ERROR_INVALID_ARGUMENT for other
/// keys.
tenon_slot_info slot_info(const tenon_op& op, tenon_key key);

/// Like slot_info(), also for an operator that is not in the registry. Requires the registry's
/// lock.
tenon_slot_info slot_info_locked(const tenon_op& op, tenon_key key);

/// Returns the runtime keys that have slots, ordered by functionality and then by backend.
std::vector<tenon_key> list_keys();
/// Returns the defined operators, sorted by name.
std::vector<const tenon_op*> list_operators();
/// Returns the operators with kernels but no definition, sorted by name.
std::vector<const tenon_op*> list_dangling();

/// Prints one tag per line.
std::string print_tags(const tenon_op& op);
/// Prints the name, the schema, and one line per kernel; replaced kernels are marked as inactive.
std::string dump_registrations(const tenon_op& op);
std::string dump_registrations_locked(const tenon_op& op);
/// Prints one line per slot that is not missing, Undefined first.
std::string dump_table(const tenon_op& op);
std::string dump_table_locked(const tenon_op& op);

/// Recomputes the table of an operator (NULL: of every operator) and compares it with the one in
/// use. Throws TENON_ERROR_INTERNAL, naming the difference.
void check_invariants(const tenon_op* op);

}  // namespace tenon::introspect
