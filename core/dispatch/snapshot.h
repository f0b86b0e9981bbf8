// SPDX-License-Identifier: Apache-2.0
// Snapshot: the immutable dispatch table of one operator, all that a call reads of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dispatch/argument_plan.h"
#include "dispatch/kernel.h"

namespace tenon::dispatch {

/// What a slot holds: the number of a record, which is negative, or one of these.
constexpr int8_t kMissing = 0;
constexpr int8_t kSkipped = 1;  // falls through for this backend only
constexpr int8_t kShared = 2;   // the built-in fallback for all operators, see shared_kernel()
constexpr uint32_t kMaxRecords = 128;
constexpr int8_t record_number(size_t index) {
  return static_cast<int8_t>(-1 - static_cast<int>(index));
}

/// Counts that no stack has, so that every call takes the careful path.
constexpr uint64_t kNoCounts = 0xfffffffe'fffffffe;

/// Memory, from low to high: reclamation's node | pointers to records, last one first | this struct
/// | one byte a slot | the plans of the arguments. Replaced whole; freed when no call picks from it
/// any more. What calls read comes first.
struct Snapshot {
  uint64_t pair_counts;          // `counts` where two plain tensors in front are all that matters
  tenon_keyset include;          // Autograd where a kernel is registered on it
  tenon_keyset mask;             // without the functionalities that fall through on all backends
  tenon_keyset usual;            // set of a call of plain tensors on a thread without guards
  tenon_keyset below;            // set of a redispatch to the backend
  uint64_t counts;               // of arguments, and of results << 32
  const schema::Schema* schema;  // owned reference; NULL: the operator has none
  uint16_t flags;                // the constants below
  uint8_t front;                 // plain tensors before any other argument, 255 at most
  int8_t below_number;           // of the record that serves `below`; -1 serves `usual`
  uint16_t looked_at;            // arguments up to the last one that may hold tensors
  uint16_t nslots;
  uint8_t nrecords;
  uint8_t spare[7];  // zero: room for what layers add
  int8_t slots[];
  static constexpr size_t kSlotsOffset = 72;

  /// `number` is negative, as slots have it.
  const Kernel* record(int64_t number) const noexcept {
    return reinterpret_cast<const Kernel* const*>(this)[number];
  }
  const Kernel*& record(int64_t number) noexcept {
    return reinterpret_cast<const Kernel**>(this)[number];
  }

  static constexpr size_t plans_offset(uint32_t nslots) {
    return (kSlotsOffset + nslots + alignof(ArgumentPlan) - 1) & ~(alignof(ArgumentPlan) - 1);
  }
  /// One for each argument that the schema names.
  const ArgumentPlan* plans() const noexcept {
    return reinterpret_cast<const ArgumentPlan*>(reinterpret_cast<const char*>(this) +
                                                 plans_offset(nslots));
  }
  ArgumentPlan* plans() noexcept {
    return const_cast<ArgumentPlan*>(static_cast<const Snapshot*>(this)->plans());
  }
  /// For tables without records: makes `usual` and `below` sets that no masked set equals.
  void serve_no_set() noexcept {
    usual = below = tenon_keyset{1} << 63;
    mask &= ~usual;
  }
  uint32_t nargs() const noexcept { return static_cast<uint32_t>(counts); }
  uint32_t nrets() const noexcept { return static_cast<uint32_t>(counts >> 32); }
};
static_assert(offsetof(Snapshot, slots) == Snapshot::kSlotsOffset);
static_assert(offsetof(Snapshot, flags) == 56,
              "what the fast path reads ends with the first 64 bytes");

// Flags of a snapshot. Those that the fast path tests are in the low byte: a test of a byte is the
// shortest. Bits 7 and 11 to 15 are free.
constexpr uint16_t kHasVararg = 1;       // more arguments than the schema names are scanned
constexpr uint16_t kHasVarret = 2;       // so with results
constexpr uint16_t kOneOrThree = 4;      // one or three plain tensors in front are all that matters
constexpr uint16_t kSelectsBackend = 8;  // BackendSelect is the built-in fallback
constexpr uint16_t kCountsWrites = 16;   // a call may bump versions itself, see write_path.cpp
constexpr uint16_t kWritesByNumber = 32;  // see begin_any(): numbers tell the written tensors
constexpr uint16_t kHasOwnAutograd = 64;  // `include` has Autograd: it runs in every grad mode
constexpr uint16_t kHasDevice = 256;      // some argument can be a device
constexpr uint16_t kHasNoTensors = 512;   // no argument can hold a tensor
constexpr uint16_t kReturnsViews = 1024;  // some return aliases an argument that is not written
/// Calls whose keys are not the usual ones leave the fast path.
constexpr uint16_t kLeavesFastPath = kCountsWrites | kHasOwnAutograd;

/// The table of operators without schema: nothing matches, no slot has a kernel. Throws
/// std::bad_alloc when it is first asked for, and never again.
const Snapshot* empty_snapshot();

/// Zeroed memory for a snapshot of so many slots, records and plans; throws std::bad_alloc.
Snapshot* allocate_snapshot(uint32_t nslots, uint32_t nrecords, uint32_t nplans);
/// Frees a snapshot that no call can see.
void free_snapshot(const Snapshot* snapshot) noexcept;
/// The node by which retire() frees it; `reclaim` is set, `owner` is the caller's to set.
base::Retired* retired_node(const Snapshot* snapshot) noexcept;

}  // namespace tenon::dispatch
