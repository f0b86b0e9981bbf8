// SPDX-License-Identifier: Apache-2.0
// Snapshot: the immutable dispatch table of one operator, all that a call reads of it.
#pragma once

#include <cstdint>

#include "dispatch/kernel.h"

namespace tenon::dispatch {

/// What a slot holds: the number of a record, which is negative, or one of these.
constexpr int8_t kMissing = 0;
constexpr int8_t kSkipped = 1;  // falls through for this backend only
constexpr uint32_t kMaxRecords = 128;
constexpr int8_t record_number(size_t index) {
  return static_cast<int8_t>(-1 - static_cast<int>(index));
}

/// Counts that no stack has, so that every call takes the careful path.
constexpr uint64_t kNoCounts = ~uint64_t{0};

/// Memory, from low to high: reclamation's node | pointers to records, last one first | this struct
/// | one byte a slot. Replaced whole; freed when no call picks from it any more.
struct alignas(64) Snapshot {
  uint64_t fast_counts;  // `counts` where `kind` is not 0, else kNoCounts
  tenon_keyset include;  // Autograd where a kernel is registered on it
  tenon_keyset mask;     // without the functionalities that fall through on all backends
  uint8_t kind;          // 1..3: exactly that many arguments matter, all plain tensors in front
  uint8_t flags;         // kHas*
  uint16_t nrecords;
  uint32_t nslots;
  uint64_t counts;               // of arguments, and of results << 32
  uint64_t plain;                // positions of type Tensor; below 64 only
  uint64_t optional;             // of type Tensor?
  uint64_t lists;                // of type Tensor[], Tensor?[] or those optional
  uint64_t scanned;              // of types that may hold tensors somewhere: looked at by tag
  const schema::Schema* schema;  // owned reference; NULL: the operator has none
  int8_t slots[];

  /// `number` is negative, as slots have it.
  const Kernel* record(int64_t number) const noexcept {
    return reinterpret_cast<const Kernel* const*>(this)[number];
  }
  const Kernel*& record(int64_t number) noexcept {
    return reinterpret_cast<const Kernel**>(this)[number];
  }
};

constexpr uint8_t kHasVararg = 1;       // more arguments than the schema names are scanned
constexpr uint8_t kHasVarret = 16;      // so with results
constexpr uint8_t kHasManyArgs = 2;     // positions from 64 up are looked at by type
constexpr uint8_t kHasNoTensors = 4;    // no argument can hold a tensor
constexpr uint8_t kSelectsBackend = 8;  // BackendSelect is the built-in fallback

/// The table of operators without schema: nothing matches, no slot has a kernel.
const Snapshot* empty_snapshot() noexcept;

/// Zeroed memory for a snapshot of so many slots and records; throws std::bad_alloc.
Snapshot* allocate_snapshot(uint32_t nslots, uint32_t nrecords);
/// Frees a snapshot that no call can see.
void free_snapshot(const Snapshot* snapshot) noexcept;
/// The node by which retire() frees it; `reclaim` is set, `owner` is the caller's to set.
base::Retired* retired_node(const Snapshot* snapshot) noexcept;

}  // namespace tenon::dispatch
