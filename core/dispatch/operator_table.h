// SPDX-License-Identifier: Apache-2.0
// OperatorTable: finds operators by name. Readers never wait; writers hold the registry's lock.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "dispatch/operator_entry.h"

namespace tenon::dispatch {

/// The process's operators. There is one table: a lookup goes straight to it.
class OperatorTable {
 public:
  /// The entry of a full name, whatever its state; NULL when the name was never mentioned.
  static tenon_op* find(std::string_view full_name) noexcept;
  /// The same, made when it is missing.
  tenon_op* find_or_make(std::string_view full_name);

  /// Stops a debug build unless each entry is found by its name, and there once. Needs the
  /// registry's lock.
  void check_invariants() const noexcept;

  /// All entries in order of first mention. Needs the registry's lock.
  const std::vector<tenon_op*>& all() const noexcept { return all_; }

 private:
  // One line of the processor's cache: a lookup reads one, and then the operator that it names. No
  // branch depends on where in its line a name stands: it could not be foreseen, and what comes
  // after the lookup would wait for both reads.
  struct alignas(64) Line {
    static constexpr size_t kPlaces = 7;  // taken in order
    std::atomic<tenon_op*> ops[kPlaces] = {};
    // A byte of each name's hash, never 0; those of free places are 0. Set after `ops`.
    std::atomic<uint64_t> tags{0};
  };
  // Two thirds full at most. Outgrown ones are kept: readers may still be in them, and all of them
  // together are smaller than the newest.
  struct Lines {
    size_t mask;  // the number of lines, less one
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
