// SPDX-License-Identifier: Apache-2.0
#include "dispatch/operator_table.h"

#include "base/check.h"
#include "base/text_hash.h"

namespace tenon::dispatch {

namespace {

// For each place of a line, a byte with the value 1, and the top bit of that byte.
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

// Probes the lines, starting with the first one that a name may be in.
template <class Lines>
[[gnu::noinline]] tenon_op* search(const Lines& lines, uint64_t hash,
                                   std::string_view full_name) noexcept {
  for (size_t i = hash & lines.mask;; i = (i + 1) & lines.mask) {
    const auto& line = lines.lines[i];
    const uint64_t tags = line.tags.load(std::memory_order_acquire);
    for (uint64_t matches = match(tags, tag_of(hash)); matches != 0; matches &= matches - 1) {
      const auto place = static_cast<size_t>(__builtin_ctzll(matches)) / 8;
      tenon_op* op = line.ops[place].load(std::memory_order_relaxed);
      if (op != nullptr && op->is_called(full_name)) return op;
    }
    if (tags >> 8 * (line.kPlaces - 1) == 0) return nullptr;  // the line is not full
  }
}

}  // namespace

// The empty table that lookups use until there is an operator. Inserting always replaces it.
constinit OperatorTable::Line OperatorTable::first_line_{};
constinit const OperatorTable::Lines OperatorTable::first_{0, &first_line_};
constinit std::atomic<const OperatorTable::Lines*> OperatorTable::current_{&first_};

tenon_op* OperatorTable::find(std::string_view full_name) noexcept {
  const Lines& lines = *current_.load(std::memory_order_acquire);
  const uint64_t hash = base::hash_text(full_name);
  // Nearly always, the first match in the first line is the operator.
  const Line& line = lines.lines[hash & lines.mask];
  const uint64_t matches = match(line.tags.load(std::memory_order_acquire), tag_of(hash));
  if (matches != 0) [[likely]] {
    const auto place = static_cast<size_t>(__builtin_ctzll(matches)) / 8;
    tenon_op* op = line.ops[place].load(std::memory_order_relaxed);
    if (op != nullptr && op->is_called(full_name)) [[likely]] {
      return op;
    }
  }
  return search(lines, hash, full_name);
}

void OperatorTable::insert(const Lines& lines, tenon_op* op) noexcept {
  const uint64_t hash = base::hash_text(op->full_name());
  for (size_t i = hash & lines.mask;; i = (i + 1) & lines.mask) {
    Line& line = lines.lines[i];
    for (size_t place = 0; place < Line::kPlaces; ++place) {
      if (line.ops[place].load(std::memory_order_relaxed) != nullptr) continue;
      // Places are filled in order, and a tag is stored after its operator.
      TENON_DCHECK((line.tags.load(std::memory_order_relaxed) >> 8 * place & 0xff) == 0);
      line.ops[place].store(op, std::memory_order_relaxed);
      line.tags.fetch_or(tag_of(hash) << 8 * place, std::memory_order_release);
      return;
    }
  }
}

// Returns the current lines, or larger ones if `count` operators would overfill them.
const OperatorTable::Lines& OperatorTable::lines_for(size_t count) {
  constexpr size_t kFirstCount = 256;
  const Lines* lines = current_.load(std::memory_order_relaxed);
  if (!owned_.empty() && 3 * count <= 2 * Line::kPlaces * (lines->mask + 1)) return *lines;
  auto grown = std::make_unique<Owned>(owned_.empty() ? kFirstCount : 2 * (lines->mask + 1));
  TENON_DCHECK((grown->lines.mask & (grown->lines.mask + 1)) == 0);
  for (tenon_op* op : all_) insert(grown->lines, op);
  owned_.push_back(std::move(grown));
  current_.store(&owned_.back()->lines, std::memory_order_release);
  return owned_.back()->lines;
}

tenon_op* OperatorTable::find_or_make(std::string_view full_name) {
  if (tenon_op* op = find(full_name)) return op;
  const Lines& lines = lines_for(all_.size() + 1);
  if (all_.size() == all_.capacity()) all_.reserve(2 * all_.size() + 16);
  tenon_op* op = tenon_op::make(full_name);
  all_.push_back(op);
  insert(lines, op);
  TENON_DCHECK(find(full_name) == op);
  return op;
}

void OperatorTable::check_invariants() const noexcept {
#if !defined(NDEBUG)
  const Lines* lines = current_.load(std::memory_order_acquire);
  size_t count = 0;
  for (size_t i = 0; !owned_.empty() && i <= lines->mask; ++i) {
    bool free = false;
    for (size_t place = 0; place < Line::kPlaces; ++place) {
      const Line& line = lines->lines[i];
      const bool taken = line.ops[place].load(std::memory_order_relaxed) != nullptr;
      TENON_DCHECK(!(taken && free));  // in order
      TENON_DCHECK(taken == ((line.tags.load(std::memory_order_relaxed) >> 8 * place & 0xff) != 0));
      free = !taken;
      if (taken) ++count;
    }
  }
  TENON_DCHECK(count == all_.size());
  for (const tenon_op* op : all_) TENON_DCHECK(find(op->full_name()) == op);
#endif
}

}  // namespace tenon::dispatch
