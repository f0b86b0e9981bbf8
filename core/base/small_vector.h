// SPDX-License-Identifier: Apache-2.0
// A vector of trivially copyable elements whose first N live inside it: short lists never allocate.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace tenon::base {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  SmallVector() noexcept = default;
  explicit SmallVector(size_t size, T value = T()) { resize(size, value); }
  SmallVector(std::initializer_list<T> values) { assign({values.begin(), values.size()}); }
  explicit SmallVector(std::span<const T> values) { assign(values); }
  SmallVector(const SmallVector& other) { assign(other); }
  SmallVector(SmallVector&& other) noexcept { take(other); }
  ~SmallVector() { free_heap(); }
  SmallVector& operator=(const SmallVector& other) {
    if (this != &other) assign(other);
    return *this;
  }
  SmallVector& operator=(SmallVector&& other) noexcept {
    if (this != &other) {
      free_heap();
      take(other);
    }
    return *this;
  }

  /// Replaces the content; `values` may not point into this vector unless it fits.
  void assign(std::span<const T> values) {
    reserve(values.size());
    if (!values.empty()) std::memmove(data_, values.data(), values.size_bytes());
    size_ = values.size();
  }
  void push_back(T value) {
    if (size_ == capacity_) reserve(2 * capacity_);
    data_[size_++] = value;
  }
  void pop_back() noexcept { --size_; }
  void insert(size_t index, T value) {
    push_back(value);
    std::memmove(data_ + index + 1, data_ + index, (size_ - 1 - index) * sizeof(T));
    data_[index] = value;
  }
  void erase(size_t index) noexcept {
    --size_;
    std::memmove(data_ + index, data_ + index + 1, (size_ - index) * sizeof(T));
  }
  void resize(size_t size, T value = T()) {
    reserve(size);
    for (size_t i = size_; i < size; ++i) data_[i] = value;
    size_ = size;
  }
  void reserve(size_t capacity) {
    if (capacity <= capacity_) return;
    T* memory = static_cast<T*>(std::malloc(capacity * sizeof(T)));
    if (memory == nullptr) throw std::bad_alloc();
    if (size_ != 0) std::memcpy(memory, data_, size_ * sizeof(T));
    free_heap();
    data_ = memory;
    capacity_ = capacity;
  }
  void clear() noexcept { size_ = 0; }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T& operator[](size_t index) noexcept { return data_[index]; }
  const T& operator[](size_t index) const noexcept { return data_[index]; }
  T& back() noexcept { return data_[size_ - 1]; }
  const T& back() const noexcept { return data_[size_ - 1]; }
  T* begin() noexcept { return data_; }
  T* end() noexcept { return data_ + size_; }
  const T* begin() const noexcept { return data_; }
  const T* end() const noexcept { return data_ + size_; }
  operator std::span<const T>() const noexcept { return {data_, size_}; }
  friend bool operator==(const SmallVector& a, const SmallVector& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i) {
      if (!(a.data_[i] == b.data_[i])) return false;
    }
    return true;
  }

 private:
  void free_heap() noexcept {
    if (data_ != inline_) std::free(data_);
  }
  // Moves the content of `other` here and leaves `other` empty. The caller has freed this vector's
  // own heap memory.
  void take(SmallVector& other) noexcept {
    if (other.data_ == other.inline_) {
      std::memcpy(inline_, other.inline_, other.size_ * sizeof(T));
      data_ = inline_;
      capacity_ = N;
    } else {
      data_ = std::exchange(other.data_, other.inline_);
      capacity_ = std::exchange(other.capacity_, N);
    }
    size_ = std::exchange(other.size_, 0);
  }

  T* data_ = inline_;
  size_t size_ = 0;
  size_t capacity_ = N;
  T inline_[N];
};

}  // namespace tenon::base
