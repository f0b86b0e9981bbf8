// SPDX-License-Identifier: Apache-2.0
// Resolution of the kernel that serves a slot of an operator, and construction of snapshots.
#pragma once

#include "dispatch/fallback.h"

namespace tenon::dispatch {

/// The kernel that serves a slot, NULL if none does.
struct Resolved {
  const Kernel* kernel = nullptr;
  uint32_t provenance = TENON_PROVENANCE_MISSING;
  bool fallthrough = false;
};

/// Applies the order of precedence to one runtime key or Undefined. Needs the registry's lock.
Resolved resolve_slot(const tenon_op& op, tenon_key key, const FallbackTable& fallbacks);

/// Builds an operator's table from its current registrations; returns the shared empty one without
/// a schema. Throws std::bad_alloc, or TENON_ERROR_STATE for more kernels than a table can hold.
const Snapshot* build_snapshot(const tenon_op& op, const FallbackTable& fallbacks);

}  // namespace tenon::dispatch
