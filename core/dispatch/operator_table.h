// SPDX-License-Identifier: Apache-2.0
// OperatorTable: finds operators by name. Readers never wait; writers hold the registry's lock.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// The process's operators. There is only one table, so that a lookup goes straight to it.
class OperatorTable {
 public:
  /// Returns the entry of a full name, defined or not; NULL if the name was never mentioned.
  static tenon_op* find(std::string_view full_name) noexcept;
  /// Like find(), but makes an entry that is missing.
  tenon_op* find_or_make(std::string_view full_name);

  /// Debug builds: aborts unless each entry is found by its name and exists once. Needs the
  /// registry's lock.
  void check_invariants() const noexcept;

  /// Returns all entries in order of first mention. Needs the registry's lock.
  const std::vector<tenon_op*>& all() const noexcept { return all_; }

 private:
  // A bucket in one cache line: a lookup reads one line, and then the operator that it found. No
  // branch depends on the position of a name in its line. Such a branch could not be predicted, and
  // the code after the lookup would have to wait for both reads.
  struct alignas(64) Line {
    static constexpr size_t kPlaces = 7;  // filled in order
    std::atomic<tenon_op*> ops[kPlaces] = {};
    // One byte of each name's hash, never 0; 0 for free places. Stored after `ops`.
    std::atomic<uint64_t> tags{0};
  };
  // A hash table, at most two thirds full. Outgrown tables are kept, because readers may still use
  // them; all of them together are smaller than the newest.
  struct Lines {
    size_t mask;  // number of lines - 1
    Line* lines;
  };
  static void insert(const Lines& lines, tenon_op* op) noexcept;
  const Lines& lines_for(size_t count);

  static constinit Line first_line_;
  static constinit const Lines first_;
  static constinit std::atomic<const Lines*> current_;

  struct Owned {
    explicit Owned(size_t count) : memory(new Line[count]), lines{count - 1, memory.get()} {}
    std::unique_ptr<Line[]> memory;
    Lines lines;
  };
  std::vector<std::unique_ptr<Owned>> owned_;
  std::vector<tenon_op*> all_;
};

}  // namespace tenon::dispatch
