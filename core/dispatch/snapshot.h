// SPDX-License-Identifier: Apache-2.0
// Snapshot: the immutable dispatch table of one operator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread.h"
#include "dispatch/argument_plan.h"
#include "dispatch/kernel.h"

namespace tenon::dispatch {

/// The content of a slot: a negative kernel number, or one of these.
constexpr int8_t kMissing = 0;
constexpr int8_t kSkipped = 1;  // falls through for this backend only
constexpr int8_t kShared = 2;   // the shared built-in fallback, see shared_kernel()
constexpr uint32_t kMaxKernels = 128;
constexpr int8_t kernel_number(size_t index) {
  return static_cast<int8_t>(-1 - static_cast<int>(index));
}

/// Counts that match no stack, so that every call takes the slow path.
constexpr uint64_t kNoCounts = 0xfffffffe'fffffffe;

/// Memory layout, from low to high addresses: reclamation's node | pointers to kernels, the last
/// one first | this struct | one byte per slot | the plans of the arguments. Replaced as a whole;
/// freed once no call picks from it. The fields that calls read come first.
struct Snapshot {
  uint64_t pair_counts;          // `counts` if the first two arguments are the only tensors
  tenon_keyset include;          // Autograd if a kernel on it also serves untracked tensors
  tenon_keyset mask;             // all but the functionalities that fall through on all backends
  tenon_keyset plain;            // key set of a call of plain tensors on a thread without guards
  tenon_keyset below;            // key set of a redispatch to the backend
  uint64_t counts;               // number of arguments, and of results << 32
  const schema::Schema* schema;  // owned reference; NULL if the operator has none
  uint8_t flags;                 // kOneOrThree and the following: tested by the fast path
  uint8_t traits;                // kHasVararg and the following
  uint8_t front;                 // number of leading plain tensors, 255 at most
  int8_t below_number;           // number of the kernel that serves `below`; -1 serves `plain`
  uint16_t looked_at;            // number of arguments up to the last that may hold tensors
  uint16_t nslots;
  uint8_t nkernels;
  uint8_t spare[7];  // zero, for fields that layers add
  int8_t slots[];
  static constexpr size_t kSlotsOffset = 72;

  /// `number` is negative, as in slots.
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
  /// The plans of the arguments that the schema names.
  const ArgumentPlan* plans() const noexcept {
    return reinterpret_cast<const ArgumentPlan*>(reinterpret_cast<const char*>(this) +
                                                 plans_offset(nslots));
  }
  ArgumentPlan* plans() noexcept {
    return const_cast<ArgumentPlan*>(static_cast<const Snapshot*>(this)->plans());
  }
  /// For tables without kernels: sets `plain` and `below` to a bit that the mask removes from all
  /// calls, so that no call matches them.
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
constexpr uint8_t kOneOrThree = 1;        // the first one or three arguments are the only tensors
constexpr uint8_t kSelectsBackend = 2;    // the built-in fallback serves BackendSelect
constexpr uint8_t kCountsWrites = 4;      // a call may bump versions itself, see write_path.cpp
constexpr uint8_t kWritesByNumber = 8;    // written tensors of a typed call have fixed numbers
constexpr uint8_t kHasUserAutograd = 16;  // `include` has Autograd, in every grad mode
static_assert(kCountsWrites == base::kSlowWrites && kHasUserAutograd == base::kSlowOwnAutograd);
// Traits, no bit free.
constexpr uint8_t kHasVararg = 1;         // more arguments than the schema names are scanned
constexpr uint8_t kHasVarret = 2;         // more results than the schema names are allowed
constexpr uint8_t kHasDevice = 4;         // some argument can be a device
constexpr uint8_t kHasNoTensors = 8;      // no argument can hold a tensor
constexpr uint8_t kReturnsViews = 16;     // some return aliases an argument that is not written
constexpr uint8_t kIsRandom = 32;         // tagged nondeterministic_seeded
constexpr uint8_t kHasDynamicShape = 64;  // tagged dynamic_output_shape
constexpr uint8_t kIsInPlaceView = 128;   // tagged inplace_view

/// Returns the table of operators without a schema: nothing matches, no slot has a kernel. Only the
/// first call can throw std::bad_alloc.
const Snapshot* empty_snapshot();

/// Allocates a zeroed snapshot with the given capacities. Throws std::bad_alloc.
Snapshot* allocate_snapshot(uint32_t nslots, uint32_t nkernels, uint32_t nplans);
/// For tests and debug builds: aborts if a finished snapshot is inconsistent.
void check_invariants(const Snapshot& snapshot) noexcept;
/// Frees a snapshot that no call can see.
void free_snapshot(const Snapshot* snapshot) noexcept;
/// Returns the node by which retire() frees a snapshot. `reclaim` is set; the caller sets `owner`.
base::Retired* retired_node(const Snapshot* snapshot) noexcept;

}  // namespace tenon::dispatch
