// SPDX-License-Identifier: Apache-2.0
#include "dispatch/snapshot.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/check.h"
#include "base/fork.h"
#include "dispatch/dispatch_key.h"

namespace tenon::dispatch {

namespace {

constexpr uint32_t kMostSlots = 1024;

// Returns the size of the part of the block that precedes a snapshot. It begins with reclamation's
// node, whose `note` is the number of kernels.
size_t front_size(size_t nkernels) {
  return sizeof(base::Retired) + nkernels * sizeof(const Kernel*);
}

base::Retired* node_of(const Snapshot* snapshot) {
  const auto address = reinterpret_cast<uintptr_t>(snapshot) - front_size(snapshot->nkernels);
  return reinterpret_cast<base::Retired*>(address);
}

void reclaim_snapshot(base::Retired* node) {
  const auto address = reinterpret_cast<uintptr_t>(node) + front_size(node->note);
  free_snapshot(reinterpret_cast<const Snapshot*>(address));
}

}  // namespace

Snapshot* allocate_snapshot(uint32_t nslots, uint32_t nkernels, uint32_t nplans) {
  TENON_DCHECK(nkernels <= kMaxKernels);
  const size_t front = front_size(nkernels);
  const size_t size = front + Snapshot::plans_offset(nslots) + nplans * sizeof(ArgumentPlan);
  auto* block = static_cast<unsigned char*>(std::calloc(1, size));
  if (block == nullptr) throw std::bad_alloc();
  auto* snapshot = reinterpret_cast<Snapshot*>(block + front);
  snapshot->nslots = static_cast<uint16_t>(nslots);
  snapshot->nkernels = static_cast<uint8_t>(nkernels);
  auto* node = new (block) base::Retired();
  node->note = static_cast<uint16_t>(nkernels);
  node->reclaim = &reclaim_snapshot;
  return snapshot;
}

void check_invariants([[maybe_unused]] const Snapshot& snapshot) noexcept {
  for (int64_t number = -1; number >= -int64_t{snapshot.nkernels}; --number) {
    TENON_DCHECK(snapshot.kernel(number) != nullptr);
    TENON_DCHECK(!snapshot.kernel(number)->is_fallthrough());
  }
  for (uint32_t slot = 0; slot < snapshot.nslots; ++slot) {
    TENON_DCHECK(snapshot.slots[slot] <= kShared && -snapshot.slots[slot] <= snapshot.nkernels);
  }
  TENON_DCHECK((snapshot.include != 0) == ((snapshot.flags & kHasUserAutograd) != 0));
  TENON_DCHECK(snapshot.looked_at <= snapshot.nargs() && snapshot.front <= snapshot.nargs());
  TENON_DCHECK((snapshot.flags & kWritesByNumber) == 0 || (snapshot.flags & kCountsWrites) != 0);
  if (snapshot.nkernels == 0) return;
  TENON_DCHECK((snapshot.include & ~snapshot.mask) == 0);
  // A backend is chosen after the mask is applied, see choose_backend().
  [[maybe_unused]] const tenon_keyset kept =
      snapshot.mask | functionality_bit(TENON_FUNCTIONALITY_DENSE);
  TENON_DCHECK((snapshot.plain & ~kept) == 0 && (snapshot.below & ~kept) == 0);
  TENON_DCHECK((snapshot.include & ~snapshot.plain) == 0);  // see user_autograd_key()
  TENON_DCHECK(snapshot.slots[slot_of(snapshot.plain)] == -1);
  TENON_DCHECK(snapshot.slots[slot_of(snapshot.below)] == snapshot.below_number);
}

void free_snapshot(const Snapshot* snapshot) noexcept {
  if (snapshot->schema != nullptr) snapshot->schema->release();
  std::free(node_of(snapshot));
}

base::Retired* retired_node(const Snapshot* snapshot) noexcept { return node_of(snapshot); }

const Snapshot* empty_snapshot() {
  struct Empty {
    Snapshot* const snapshot = allocate_snapshot(kMostSlots, 0, 0);
    Empty() {
      snapshot->pair_counts = kNoCounts;
      snapshot->counts = kNoCounts;
      snapshot->mask = ~tenon_keyset{0};
      snapshot->serve_no_set();
    }
  };
  return base::singleton<Empty, base::ForkOrder::kEmptySnapshot>().snapshot;
}

}  // namespace tenon::dispatch
