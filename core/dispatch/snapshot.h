// SPDX-License-Identifier: Apache-2.0
// Snapshot: the immutable dispatch table of one operator, all that a call reads of it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread.h"
#include "dispatch/argument_plan.h"
#include "dispatch/kernel.h"

namespace tenon::dispatch {

/// What a slot holds: the number of a kernel, which is negative, or one of these.
constexpr int8_t kMissing = 0;
constexpr int8_t kSkipped = 1;  // falls through for this backend only
constexpr int8_t kShared = 2;   // the built-in fallback for all operators, see shared_kernel()
constexpr uint32_t kMaxKernels = 128;
constexpr int8_t kernel_number(size_t index) {
  return static_cast<int8_t>(-1 - static_cast<int>(index));
}

/// Counts that no stack has, so that every call takes the slow path.
constexpr uint64_t kNoCounts = 0xfffffffe'fffffffe;

/// Memory, from low to high: reclamation's node | pointers to kernels, last one first | this struct
/// | one byte a slot | the plans of the arguments. Replaced whole; freed when no call picks from it
/// any more. What calls read comes first.
struct Snapshot {
  uint64_t pair_counts;          // `counts` where two plain tensors in front are all that matters
  tenon_keyset include;          // Autograd where a kernel is registered on it
  tenon_keyset mask;             // without the functionalities that fall through on all backends
  tenon_keyset plain;            // set of a call of plain tensors on a thread without guards
  tenon_keyset below;            // set of a redispatch to the backend
  uint64_t counts;               // of arguments, and of results << 32
  const schema::Schema* schema;  // owned reference; NULL: the operator has none
  uint8_t flags;                 // kOneOrThree and those behind it: what the fast path tests
  uint8_t traits;                // kHasVararg and those behind it
  uint8_t front;                 // plain tensors before any other argument, 255 at most
  int8_t below_number;           // of the kernel that serves `below`; -1 serves `plain`
  uint16_t looked_at;            // arguments up to the last one that may hold tensors
  uint16_t nslots;
  uint8_t nkernels;
  uint8_t spare[7];  // zero: room for what layers add
  int8_t slots[];
  static constexpr size_t kSlotsOffset = 72;

  /// `number` is negative, as slots have it.
  const Kernel* kernel(int64_t number) const noexcept {
    TENON_DCHECK(number < 0 && -number <= nkernels);
    return reinterpret_cast<const Kernel* const*>(this)[number];
  }
  const Kernel*& kernel(int64_t number) noexcept {
    TENON_DCHECK(number < 0 && -number <= nkernels);
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
  /// For tables without kernels: makes `plain` and `below` sets that no masked set equals.
  void serve_no_set() noexcept {
    plain = below = tenon_keyset{1} << 63;
    mask &= ~plain;
  }
  uint32_t nargs() const noexcept { return static_cast<uint32_t>(counts); }
  uint32_t nrets() const noexcept { return static_cast<uint32_t>(counts >> 32); }
};
static_assert(offsetof(Snapshot, slots) == Snapshot::kSlotsOffset);
static_assert(offsetof(Snapshot, flags) == 56,
              "what the fast path reads ends with the first 64 bytes");

// Flags, bits 5 to 7 free.
constexpr uint8_t kOneOrThree = 1;       // one or three plain tensors in front are all that matters
constexpr uint8_t kSelectsBackend = 2;   // BackendSelect is the built-in fallback
constexpr uint8_t kCountsWrites = 4;     // a call may bump versions itself, see write_path.cpp
constexpr uint8_t kWritesByNumber = 8;   // numbers tell the written tensors of a typed call
constexpr uint8_t kHasOwnAutograd = 16;  // `include` has Autograd: it runs in every grad mode
static_assert(kCountsWrites == base::kSlowWrites && kHasOwnAutograd == base::kSlowOwnAutograd);
// Traits, no bit free.
constexpr uint8_t kHasVararg = 1;         // more arguments than the schema names are scanned
constexpr uint8_t kHasVarret = 2;         // so with results
constexpr uint8_t kHasDevice = 4;         // some argument can be a device
constexpr uint8_t kHasNoTensors = 8;      // no argument can hold a tensor
constexpr uint8_t kReturnsViews = 16;     // some return aliases an argument that is not written
constexpr uint8_t kIsRandom = 32;         // tagged nondeterministic_seeded
constexpr uint8_t kHasDynamicShape = 64;  // tagged dynamic_output_shape
constexpr uint8_t kIsInPlaceView = 128;   // tagged inplace_view

/// The table of operators without schema: nothing matches, no slot has a kernel. Throws
/// std::bad_alloc when it is first asked for, and never again.
const Snapshot* empty_snapshot();

/// Zeroed memory for a snapshot of so many slots, kernels and plans; throws std::bad_alloc.
Snapshot* allocate_snapshot(uint32_t nslots, uint32_t nkernels, uint32_t nplans);
/// For tests and debug builds: stops where a finished snapshot contradicts itself.
void check_invariants(const Snapshot& snapshot) noexcept;
/// Frees a snapshot that no call can see.
void free_snapshot(const Snapshot* snapshot) noexcept;
/// The node by which retire() frees it; `reclaim` is set, `owner` is the caller's to set.
base::Retired* retired_node(const Snapshot* snapshot) noexcept;

}  // namespace tenon::dispatch
