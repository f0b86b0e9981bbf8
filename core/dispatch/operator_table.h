// SPDX-License-Identifier: Apache-2.0
// OperatorTable: finds operators by name. Readers never wait; writers hold the registry's lock.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

class OperatorTable {
 public:
  OperatorTable();

  /// The entry of a full name, whatever its state; NULL when the name was never mentioned.
  tenon_op* find(std::string_view full_name) const noexcept;
  /// The same, made when it is missing.
  tenon_op* find_or_make(std::string_view full_name);

  /// All entries in order of first mention. Needs the registry's lock.
  const std::vector<tenon_op*>& all() const noexcept { return all_; }

 private:
  // One line of the processor's cache: a lookup reads one, and then the operator that it names. A
  // place is taken once `ops` is set; a free one ends the search.
  struct alignas(64) Line {
    static constexpr size_t kPlaces = 6;
    std::atomic<tenon_op*> ops[kPlaces] = {};
    std::atomic<uint16_t> tags[kPlaces] = {};  // of the names' hashes
  };
  // Two thirds full at most. Outgrown ones are kept: readers may still be in them, and all of them
  // together are smaller than the newest.
  struct Lines {
    explicit Lines(size_t count) : mask(count - 1), lines(new Line[count]) {}
    size_t mask;
    std::unique_ptr<Line[]> lines;
  };
  static void insert(Lines& lines, uint64_t hash, tenon_op* op) noexcept;

  std::atomic<Lines*> current_;
  std::vector<std::unique_ptr<Lines>> owned_;
  std::vector<tenon_op*> all_;
};

}  // namespace tenon::dispatch
