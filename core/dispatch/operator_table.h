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
  // Open addressing, half full at most. Outgrown ones are kept: readers may still be in them, and
  // all of them together are smaller than the newest.
  struct Buckets {
    explicit Buckets(size_t size);
    size_t mask;
    std::unique_ptr<std::atomic<tenon_op*>[]> places;
    std::unique_ptr<std::atomic<uint64_t>[]> hashes;
  };
  static void insert(Buckets& buckets, uint64_t hash, tenon_op* op);

  std::atomic<Buckets*> current_;
  std::vector<std::unique_ptr<Buckets>> owned_;
  std::vector<tenon_op*> all_;
};

}  // namespace tenon::dispatch
