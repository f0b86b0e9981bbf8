// SPDX-License-Identifier: Apache-2.0
// A vector one pointer wide, for lists that are nearly always empty and exist by the thousand.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tenon::base {

/// Holds the number of elements and the elements, which are trivially copyable, in one heap block.
/// Each push_back() reallocates the block.
template <class T>
class CompactVector {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(size_t));

 public:
  CompactVector() noexcept = default;
  explicit CompactVector(std::span<const T> values) {
    if (values.empty()) return;
    block_ = allocate(nullptr, values.size());
    std::memcpy(begin(), values.data(), values.size_bytes());
  }
  CompactVector(CompactVector&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  CompactVector& operator=(CompactVector&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~CompactVector() { std::free(block_); }

  void push_back(T value) {
    const size_t count = size();
    block_ = allocate(block_, count + 1);
    begin()[count] = value;
  }
  /// Removes the elements for which `unwanted` is true. The block keeps its size.
  template <class Predicate>
  void erase_if(const Predicate& unwanted) noexcept {
    size_t kept = 0;
    for (const T& value : *this) {
      if (!unwanted(value)) begin()[kept++] = value;
    }
    if (block_ != nullptr) *block_ = kept;
  }

  size_t size() const noexcept { return block_ != nullptr ? *block_ : 0; }
  bool empty() const noexcept { return size() == 0; }
  T* begin() noexcept { return block_ != nullptr ? reinterpret_cast<T*>(block_ + 1) : nullptr; }
  T* end() noexcept { return begin() + size(); }
  const T* begin() const noexcept { return const_cast<CompactVector*>(this)->begin(); }
  const T* end() const noexcept { return begin() + size(); }

 private:
  // Resizes the block `old` for `count` elements; `old` stays valid if this throws.
  static size_t* allocate(size_t* old, size_t count) {
    auto* block = static_cast<size_t*>(std::realloc(old, sizeof(size_t) + count * sizeof(T)));
    if (block == nullptr) throw std::bad_alloc();
    *block = count;
    return block;
  }

  size_t* block_ = nullptr;  // number of elements, followed by the elements; NULL if empty
};

}  // namespace tenon::base
