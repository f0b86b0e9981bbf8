// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_table.h"

#include "base/check.h"
#include "base/text_hash.h"

namespace tenon::dispatch {

namespace {

// For each place of a bucket, a byte with the value 1, and the top bit of that byte.
constexpr uint64_t kOnes = 0x01'0101'0101'0101u;
constexpr uint64_t kTopBits = 0x80 * kOnes;

uint64_t tag_of(uint64_t hash) {
  const uint64_t tag = hash >> 56;
  return tag != 0 ? tag : 1;
}

// Returns the top bit of each place with the tag. Bits above the lowest match may be false
// positives.
uint64_t match(uint64_t tags, uint64_t tag) {
  const uint64_t differences = tags ^ kOnes * tag;
  return (differences - kOnes) & ~differences & kTopBits;
}

// Probes the buckets, starting with the first one that a name may be in.
template <class Buckets>
[[gnu::noinline]] tenon_op* search(const Buckets& buckets, uint64_t hash,
                                   std::string_view full_name) noexcept {
  for (size_t i = hash & buckets.mask;; i = (i + 1) & buckets.mask) {
    const auto& bucket = buckets.buckets[i];
    const uint64_t tags = bucket.tags.load(std::memory_order_acquire);
    for (uint64_t matches = match(tags, tag_of(hash)); matches != 0; matches &= matches - 1) {
      const auto place = static_cast<size_t>(__builtin_ctzll(matches)) / 8;
      tenon_op* op = bucket.ops[place].load(std::memory_order_relaxed);
      if (op != nullptr && op->is_called(full_name)) return op;
    }
    if (tags >> 8 * (bucket.kPlaces - 1) == 0) return nullptr;  // the bucket is not full
  }
}

}  // namespace

// The empty table that lookups use until there is an operator. Inserting always replaces it.
constinit OperatorTable::Bucket OperatorTable::first_bucket_{};
constinit const OperatorTable::Buckets OperatorTable::first_{0, &first_bucket_};
constinit std::atomic<const OperatorTable::Buckets*> OperatorTable::current_{&first_};

tenon_op* OperatorTable::find(std::string_view full_name) noexcept {
  const Buckets& buckets = *current_.load(std::memory_order_acquire);
  const uint64_t hash = base::hash_text(full_name);
  // Nearly always, the first match in the first bucket is the operator.
  const Bucket& bucket = buckets.buckets[hash & buckets.mask];
  const uint64_t matches = match(bucket.tags.load(std::memory_order_acquire), tag_of(hash));
  if (matches != 0) [[likely]] {
    const auto place = static_cast<size_t>(__builtin_ctzll(matches)) / 8;
    tenon_op* op = bucket.ops[place].load(std::memory_order_relaxed);
    if (op != nullptr && op->is_called(full_name)) [[likely]] {
      return op;
    }
  }
  return search(buckets, hash, full_name);
}

void OperatorTable::insert(const Buckets& buckets, tenon_op* op) noexcept {
  const uint64_t hash = base::hash_text(op->full_name());
  for (size_t i = hash & buckets.mask;; i = (i + 1) & buckets.mask) {
    Bucket& bucket = buckets.buckets[i];
    for (size_t place = 0; place < Bucket::kPlaces; ++place) {
      if (bucket.ops[place].load(std::memory_order_relaxed) != nullptr) continue;
      // Places are filled in order, and a tag is stored after its operator.
      TENON_DCHECK((bucket.tags.load(std::memory_order_relaxed) >> 8 * place & 0xff) == 0);
      bucket.ops[place].store(op, std::memory_order_relaxed);
      bucket.tags.fetch_or(tag_of(hash) << 8 * place, std::memory_order_release);
      return;
    }
  }
}

// Returns the current buckets, or larger ones if `count` operators would overfill them.
const OperatorTable::Buckets& OperatorTable::buckets_for(size_t count) {
  constexpr size_t kFirstCount = 256;
  const Buckets* buckets = current_.load(std::memory_order_relaxed);
  if (!owned_.empty() && 3 * count <= 2 * Bucket::kPlaces * (buckets->mask + 1)) return *buckets;
  auto grown =
      std::make_unique<OwnedBuckets>(owned_.empty() ? kFirstCount : 2 * (buckets->mask + 1));
  TENON_DCHECK((grown->buckets.mask & (grown->buckets.mask + 1)) == 0);
  for (tenon_op* op : all_) insert(grown->buckets, op);
  owned_.push_back(std::move(grown));
  current_.store(&owned_.back()->buckets, std::memory_order_release);
  return owned_.back()->buckets;
}

tenon_op* OperatorTable::find_or_make(std::string_view full_name) {
  if (tenon_op* op = find(full_name)) return op;
  const Buckets& buckets = buckets_for(all_.size() + 1);
  if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 16);
  tenon_op* op = tenon_op::make(full_name);
  all_.push_back(op);
  insert(buckets, op);
  TENON_DCHECK(find(full_name) == op);
  return op;
}

void OperatorTable::check_invariants() const noexcept {
#if !defined(NDEBUG)
  const Buckets* buckets = current_.load(std::memory_order_acquire);
  size_t count = 0;
  for (size_t i = 0; !owned_.empty() && i <= buckets->mask; ++i) {
    bool free = false;
    for (size_t place = 0; place < Bucket::kPlaces; ++place) {
      const Bucket& bucket = buckets->buckets[i];
      const bool taken = bucket.ops[place].load(std::memory_order_relaxed) != nullptr;
      TENON_DCHECK(!(taken && free));  // in order
      TENON_DCHECK(taken ==
                   ((bucket.tags.load(std::memory_order_relaxed) >> 8 * place & 0xff) != 0));
      free = !taken;
      if (taken) ++count;
    }
  }
  TENON_DCHECK(count == all_.size());
  for (const tenon_op* op : all_) TENON_DCHECK(find(op->full_name()) == op);
#endif
}

}  // namespace tenon::dispatch
