// SPDX-License-Identifier: Apache-2.0
// Types of generated wrappers: parameters that are lists in braces, vectors or spans, and
// conversions of the results of boxed calls.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/wrapper.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <complex>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/lazy_op.hpp"

namespace tenon::inline hpp {

// A list of numbers, borrowed for the call: {2, 3}, a vector, an array or a span.
template <class T>
class List : public std::span<const T> {
 public:
  List() noexcept = default;
  // The elements outlive the call that this list is an argument of.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  List(std::initializer_list<T> elements) noexcept
      : std::span<const T>(elements.begin(), elements.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  template <class Range>
  requires std::is_convertible_v<const Range&, std::span<const T>> List(const Range& range)
  noexcept : std::span<const T>(range) {}
};

// A list of numbers or nothing. Braces make a list here; std::optional would interpret them itself.
template <class T>
class OptionalList {
 public:
  OptionalList() noexcept = default;
  OptionalList(std::nullopt_t) noexcept {}
  OptionalList(std::initializer_list<T> elements) noexcept : list_(List<T>(elements)) {}
  template <class Range>
  requires std::is_convertible_v<const Range&, std::span<const T>> OptionalList(const Range& range)
  noexcept : list_(List<T>(range)) {}
  template <class Range>
  requires std::is_convertible_v<const Range&, std::span<const T>> OptionalList(
      const std::optional<Range>& range)
  noexcept {
    if (range) list_ = List<T>(*range);
  }

  std::optional<std::span<const T>> get() const noexcept { return list_; }

 private:
  std::optional<std::span<const T>> list_;
};

// A list of tensors, borrowed for the call: {a, b}, a vector, a span or a TensorList.
class Tensors : public TensorList {
 public:
  Tensors() noexcept = default;
  Tensors(std::initializer_list<Tensor> tensors) noexcept
      : TensorList(std::span<const Tensor>(tensors.begin(), tensors.size())) {}
  Tensors(const TensorList& tensors) noexcept : TensorList(tensors) {}
  Tensors(std::span<const Tensor> tensors) noexcept : TensorList(tensors) {}
  Tensors(const std::vector<Tensor>& tensors) noexcept : TensorList(tensors) {}
};

// Returns a result of a boxed call as T, moved out of its value.
template <class T>
T take_result(Value& value) {
  if constexpr (std::is_same_v<T, Value>) {
    return std::move(value);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(value.get().as.i);
  } else if constexpr (std::is_same_v<T, Device>) {
    return Device(value.get().as.device);
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return value.scalar().to_complex();
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    return {value.doubles().begin(), value.doubles().end()};
  } else if constexpr (requires {
                         typename T::value_type;
                         requires std::is_same_v<T, std::optional<typename T::value_type>>;
                       }) {
    return value.is_none() ? T() : T(take_result<typename T::value_type>(value));
  } else {
    return detail::Result<T>::unbox(value.release());
  }
}

}  // namespace tenon::inline hpp

#endif
