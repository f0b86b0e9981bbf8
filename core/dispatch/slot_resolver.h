// SPDX-License-Identifier: Apache-2.0
// Which kernel serves a slot of an operator, and the building of snapshots from that.
#pragma once

#include "dispatch/fallback.h"

namespace tenon::dispatch {

/// What serves a slot. `kernel` NULL: nothing does.
struct Resolved {
  const Kernel* kernel = nullptr;
  uint32_t provenance = TENON_PROVENANCE_MISSING;
  bool fallthrough = false;
};

/// Applies the order of precedence to one runtime key or Undefined. Needs the registry's lock.
Resolved resolve_slot(const tenon_op& op, tenon_key key, const FallbackTable& fallbacks);

/// Builds the operator's table as its registrations are now; the shared empty one without schema.
/// Throws std::bad_alloc, or TENON_ERROR_STATE for more kernels than a table can hold.
const Snapshot* build_snapshot(const tenon_op& op, const FallbackTable& fallbacks);

}  // namespace tenon::dispatch
