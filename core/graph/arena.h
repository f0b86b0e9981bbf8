// SPDX-License-Identifier: Apache-2.0
// Arena: memory that is allocated piece by piece and freed as a whole.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace tenon::graph {

class Arena {
 public:
  /// Allocates zeroed room for `count` elements, 8-aligned, at a stable address. Throws
  /// std::bad_alloc.
  template <class T>
  T* make(size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);
    return static_cast<T*>(take(count * sizeof(T)));
  }
  /// Copies elements into the arena.
  template <class T>
  T* copy(std::span<const T> elements) {
    T* copies = make<T>(elements.size());
    if (!elements.empty()) std::memcpy(copies, elements.data(), elements.size_bytes());
    return copies;
  }

 private:
  static constexpr size_t kAlignment = 8;
  static constexpr size_t kChunk = 4096;  // bytes per chunk, unless a single piece is larger

  void* take(size_t bytes) {
    bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (bytes > left_) {
      const size_t size = std::max(bytes, kChunk);
      chunks_.push_back(std::make_unique<char[]>(size));
      next_ = chunks_.back().get();
      left_ = size;
    }
    left_ -= bytes;
    void* piece = next_;
    next_ += bytes;
    return piece;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace tenon::graph
