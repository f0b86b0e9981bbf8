// SPDX-License-Identifier: Apache-2.0
// Shared ownership by a count inside the object: RefCounted, IntrusivePtr and make_intrusive.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tenon::base {

/// Base of objects that count their references. A new object has one reference.
/// `Derived::destroy(Derived*)`, if it exists, replaces `delete`.
template <class Derived>
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const noexcept { references_.fetch_add(1, std::memory_order_relaxed); }

  void release() const noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      auto* self = const_cast<Derived*>(static_cast<const Derived*>(this));
      if constexpr (requires { Derived::destroy(self); }) {
        Derived::destroy(self);
      } else {
        delete self;
      }
    }
  }

  /// Returns true if there is one reference. The result is stable while the caller holds that
  /// reference.
  bool unique() const noexcept { return references_.load(std::memory_order_acquire) == 1; }

 protected:
  RefCounted() noexcept = default;
  ~RefCounted() = default;

 private:
  mutable std::atomic<int64_t> references_{1};
};

/// Owns one reference to a T that has retain() and release().
template <class T>
class IntrusivePtr {
 public:
  IntrusivePtr() noexcept = default;
  IntrusivePtr(std::nullptr_t) noexcept {}
  IntrusivePtr(const IntrusivePtr& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->retain();
  }
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> IntrusivePtr(IntrusivePtr<U> other)
  noexcept : object_(other.detach()) {}
  ~IntrusivePtr() {
    if (object_ != nullptr) object_->release();
  }
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// Takes over a reference that the caller owns.
  static IntrusivePtr adopt(T* object) noexcept {
    IntrusivePtr pointer;
    pointer.object_ = object;
    return pointer;
  }
  /// Adds a reference to an object that another reference keeps alive.
  static IntrusivePtr share(T* object) noexcept {
    if (object != nullptr) object->retain();
    return adopt(object);
  }

  /// Passes the reference to the caller and becomes empty.
  [[nodiscard]] T* detach() noexcept { return std::exchange(object_, nullptr); }
  void reset() noexcept { IntrusivePtr().swap(*this); }
  void swap(IntrusivePtr& other) noexcept { std::swap(object_, other.object_); }

  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) noexcept {
    return a.object_ == b.object_;
  }
  friend bool operator==(const IntrusivePtr& a, std::nullptr_t) noexcept {
    return a.object_ == nullptr;
  }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
IntrusivePtr<T> make_intrusive(Args&&... args) {
  return IntrusivePtr<T>::adopt(new T(std::forward<Args>(args)...));
}

}  // namespace tenon::base
