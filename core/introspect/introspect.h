// SPDX-License-Identifier: Apache-2.0
// Introspection: what is registered, which kernel serves which slot and why, and checks of that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dispatch/operator_entry.h"
#include "tenon/introspect.h"

namespace tenon::introspect {

/// "math kernel" and so on for TENON_PROVENANCE_*. Static text.
const char* provenance_name(uint32_t provenance) noexcept;

/// Slot of a runtime key or Undefined. Throws TENON_ERROR_INVALID_ARGUMENT for another key.
tenon_slot_info slot_info(const tenon_op& op, tenon_key key);

/// The same for an operator that is in no registry. Needs the registry's lock.
tenon_slot_info slot_info_locked(const tenon_op& op, tenon_key key);

/// Runtime keys that have slots: lowest functionality first, in it lowest backend first.
std::vector<tenon_key> list_keys();
/// Defined operators, by name.
std::vector<const tenon_op*> list_operators();
/// Operators with kernels but no definition, by name.
std::vector<const tenon_op*> list_dangling();

/// One tag a line.
std::string print_tags(const tenon_op& op);
/// Name, schema, and one line a kernel, overridden ones as inactive.
std::string dump_registrations(const tenon_op& op);
std::string dump_registrations_locked(const tenon_op& op);
/// One line a slot that is not missing, Undefined first.
std::string dump_table(const tenon_op& op);
std::string dump_table_locked(const tenon_op& op);

/// Recomputes the table of an operator (NULL: of all) and compares. Throws TENON_ERROR_INTERNAL
/// naming what differs.
void check_invariants(const tenon_op* op);

}  // namespace tenon::introspect
