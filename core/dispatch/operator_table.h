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
  struct alignas(64) Bucket {
    static constexpr size_t kPlaces = 7;  // filled in order
    std::atomic<tenon_op*> ops[kPlaces] = {};
    // One byte of each name's hash, never 0; 0 for free places. Stored after `ops`.
    std::atomic<uint64_t> tags{0};
  };
  // A hash table, at most two thirds full. Outgrown tables are kept, because readers may still use
  // them; all of them together are smaller than the newest.
  struct Buckets {
    size_t mask;  // number of buckets - 1
    Bucket* buckets;
  };
  static void insert(const Buckets& buckets, tenon_op* op) noexcept;
  const Buckets& buckets_for(size_t count);

  static constinit Bucket first_bucket_;
  static constinit const Buckets first_;
  static constinit std::atomic<const Buckets*> current_;

  struct OwnedBuckets {
    explicit OwnedBuckets(size_t count)
        : memory(new Bucket[count]), buckets{count - 1, memory.get()} {}
    std::unique_ptr<Bucket[]> memory;
    Buckets buckets;
  };
  std::vector<std::unique_ptr<OwnedBuckets>> owned_;
  std::vector<tenon_op*> all_;
};

}  // namespace tenon::dispatch
