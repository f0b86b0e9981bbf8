// SPDX-License-Identifier: Apache-2.0
#include "dispatch/snapshot.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "base/fork.h"

namespace tenon::dispatch {

namespace {

constexpr uint32_t kMostSlots = 1024;

// Reclamation's node is at the start of the memory; its note is the number of records.
size_t front_size(size_t nrecords) {
  return sizeof(base::Retired) + nrecords * sizeof(const Kernel*);
}

base::Retired* node_of(const Snapshot* snapshot) {
  const auto address = reinterpret_cast<uintptr_t>(snapshot) - front_size(snapshot->nrecords);
  return reinterpret_cast<base::Retired*>(address);
}

void reclaim_snapshot(base::Retired* node) {
  const auto address = reinterpret_cast<uintptr_t>(node) + front_size(node->note);
  free_snapshot(reinterpret_cast<const Snapshot*>(address));
}

}  // namespace

Snapshot* allocate_snapshot(uint32_t nslots, uint32_t nrecords, uint32_t nplans) {
  const size_t front = front_size(nrecords);
  const size_t size = front + Snapshot::plans_offset(nslots) + nplans * sizeof(ArgumentPlan);
  auto* block = static_cast<unsigned char*>(std::calloc(1, size));
  if (block == nullptr) throw std::bad_alloc();
  auto* snapshot = reinterpret_cast<Snapshot*>(block + front);
  snapshot->nslots = static_cast<uint16_t>(nslots);
  snapshot->nrecords = static_cast<uint8_t>(nrecords);
  auto* node = new (block) base::Retired();
  node->note = static_cast<uint16_t>(nrecords);
  node->reclaim = &reclaim_snapshot;
  return snapshot;
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
