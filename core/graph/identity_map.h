// SPDX-License-Identifier: Apache-2.0
// IdentityMap: maps tensors to values of a graph during a recording.
#pragma once

#include <cstdint>
#include <memory>

#include "tensor/tensor.h"

namespace tenon::graph {

/// Holds weak references: a tensor's memory is freed with its last user, but its address is not
/// reused. Open addressing, because lookups dominate the cost of recording a call.
class IdentityMap {
 public:
  static constexpr uint32_t kUnknown = UINT32_MAX;

  IdentityMap() = default;
  ~IdentityMap() {
    for (size_t i = 0; i < capacity_; ++i) {
      if (entries_[i].tensor != nullptr) entries_[i].tensor->release_weak();
    }
  }
  IdentityMap(const IdentityMap&) = delete;
  IdentityMap& operator=(const IdentityMap&) = delete;

  uint32_t find(const tensor::Tensor& tensor) const noexcept {
    if (capacity_ == 0) return kUnknown;
    const Mapping& entry = entries_[place_of(tensor)];
    return entry.tensor != nullptr ? entry.value : kUnknown;
  }
  /// Maps a tensor to a value, replacing an earlier one. Throws std::bad_alloc.
  void set(tensor::Tensor& tensor, uint32_t value) {
    if (2 * (count_ + 1) > capacity_) grow();
    Mapping& entry = entries_[place_of(tensor)];
    if (entry.tensor == nullptr) {
      tensor.retain_weak();
      entry.tensor = &tensor;
      ++count_;
    }
    entry.value = value;
  }

 private:
  struct Mapping {
    tensor::Tensor* tensor = nullptr;
    uint32_t value = 0;
  };

  // Returns the index of the tensor, or the free one where it belongs.
  size_t place_of(const tensor::Tensor& tensor) const noexcept {
    constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    const uint64_t hash = reinterpret_cast<uintptr_t>(&tensor) * kMultiplier;
    size_t place = (hash >> 32) & (capacity_ - 1);
    while (entries_[place].tensor != nullptr && entries_[place].tensor != &tensor) {
      place = (place + 1) & (capacity_ - 1);
    }
    return place;
  }
  void grow() {
    constexpr size_t kFirst = 32;
    const size_t before = capacity_;
    auto old = std::make_unique<Mapping[]>(before == 0 ? kFirst : 2 * before);
    old.swap(entries_);
    capacity_ = before == 0 ? kFirst : 2 * before;
    for (size_t i = 0; i < before; ++i) {
      if (old[i].tensor != nullptr) entries_[place_of(*old[i].tensor)] = old[i];
    }
  }

  std::unique_ptr<Mapping[]> entries_;
  size_t capacity_ = 0;  // a power of two
  size_t count_ = 0;
};

}  // namespace tenon::graph
