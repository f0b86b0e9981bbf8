// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_table.h"

#include "base/text_hash.h"

namespace tenon::dispatch {

namespace {

constexpr size_t kFirstLines = 256;

uint16_t tag_of(uint64_t hash) { return static_cast<uint16_t>(hash >> 48); }

}  // namespace

OperatorTable::OperatorTable() : current_(nullptr) {
  owned_.push_back(std::make_unique<Lines>(kFirstLines));
  current_.store(owned_.back().get(), std::memory_order_release);
}

tenon_op* OperatorTable::find(std::string_view full_name) const noexcept {
  const Lines& lines = *current_.load(std::memory_order_acquire);
  const uint64_t hash = base::hash_text(full_name);
  const uint16_t tag = tag_of(hash);
  for (size_t i = hash & lines.mask;; i = (i + 1) & lines.mask) {
    const Line& line = lines.lines[i];
    for (size_t place = 0; place < Line::kPlaces; ++place) {
      tenon_op* op = line.ops[place].load(std::memory_order_acquire);
      if (op == nullptr) return nullptr;
      if (line.tags[place].load(std::memory_order_relaxed) != tag) continue;
      if (op->full_name() == full_name) return op;
    }
  }
}

void OperatorTable::insert(Lines& lines, uint64_t hash, tenon_op* op) noexcept {
  for (size_t i = hash & lines.mask;; i = (i + 1) & lines.mask) {
    Line& line = lines.lines[i];
    for (size_t place = 0; place < Line::kPlaces; ++place) {
      if (line.ops[place].load(std::memory_order_relaxed) != nullptr) continue;
      line.tags[place].store(tag_of(hash), std::memory_order_relaxed);
      line.ops[place].store(op, std::memory_order_release);
      return;
    }
  }
}

tenon_op* OperatorTable::find_or_make(std::string_view full_name) {
  if (tenon_op* op = find(full_name)) return op;
  Lines* lines = current_.load(std::memory_order_relaxed);
  if (3 * (all_.size() + 1) > 2 * Line::kPlaces * (lines->mask + 1)) {
    auto grown = std::make_unique<Lines>(2 * (lines->mask + 1));
    for (tenon_op* op : all_) insert(*grown, base::hash_text(op->full_name()), op);
    owned_.push_back(std::move(grown));
    lines = owned_.back().get();
    current_.store(lines, std::memory_order_release);
  }
  if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 16);
  tenon_op* op = tenon_op::make(full_name);
  all_.push_back(op);
  insert(*lines, base::hash_text(full_name), op);
  return op;
}

}  // namespace tenon::dispatch
