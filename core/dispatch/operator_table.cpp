// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_table.h"

#include <cstring>

namespace tenon::dispatch {

namespace {

constexpr size_t kFirstSize = 1024;

// A word at a time: names are short and must be found within some ten nanoseconds.
uint64_t hash_of(std::string_view text) {
  constexpr uint64_t kMultiplier = 0x9fb21c651e98df25u;
  uint64_t hash = text.size() * kMultiplier;
  const char* data = text.data();
  size_t left = text.size();
  while (left >= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32;
    data += 8;
    left -= 8;
  }
  uint64_t word = 0;
  std::memcpy(&word, data, left);
  hash = (hash ^ word) * kMultiplier;
  return hash ^ hash >> 29;
}

}  // namespace

OperatorTable::Buckets::Buckets(size_t size)
    : mask(size - 1),
      places(new std::atomic<tenon_op*>[size]()),
      hashes(new std::atomic<uint64_t>[size]()) {}

OperatorTable::OperatorTable() : current_(nullptr) {
  owned_.push_back(std::make_unique<Buckets>(kFirstSize));
  current_.store(owned_.back().get(), std::memory_order_release);
}

tenon_op* OperatorTable::find(std::string_view full_name) const noexcept {
  const Buckets& buckets = *current_.load(std::memory_order_acquire);
  const uint64_t hash = hash_of(full_name);
  for (size_t i = hash & buckets.mask;; i = (i + 1) & buckets.mask) {
    tenon_op* op = buckets.places[i].load(std::memory_order_acquire);
    if (op == nullptr) return nullptr;
    if (buckets.hashes[i].load(std::memory_order_relaxed) != hash) continue;
    if (op->full_name() == full_name) return op;
  }
}

void OperatorTable::insert(Buckets& buckets, uint64_t hash, tenon_op* op) {
  size_t i = hash & buckets.mask;
  while (buckets.places[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & buckets.mask;
  buckets.hashes[i].store(hash, std::memory_order_relaxed);
  buckets.places[i].store(op, std::memory_order_release);
}

tenon_op* OperatorTable::find_or_make(std::string_view full_name) {
  if (tenon_op* op = find(full_name)) return op;
  Buckets* buckets = current_.load(std::memory_order_relaxed);
  if (2 * (all_.size() + 1) > buckets->mask + 1) {
    auto grown = std::make_unique<Buckets>(2 * (buckets->mask + 1));
    for (tenon_op* op : all_) insert(*grown, hash_of(op->full_name()), op);
    owned_.push_back(std::move(grown));
    buckets = owned_.back().get();
    current_.store(buckets, std::memory_order_release);
  }
  if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 16);
  auto* op = new tenon_op(base::intern(full_name).data());
  all_.push_back(op);
  insert(*buckets, hash_of(full_name), op);
  return op;
}

}  // namespace tenon::dispatch
