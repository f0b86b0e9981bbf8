// SPDX-License-Identifier: Apache-2.0
// Lowering<T>: how a C++ parameter or result type is passed through the C ABI, typed and boxed.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/lowering.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/value.hpp"
#include "tenon/value.h"

namespace tenon::inline hpp::detail {

template <class... T>
struct Types {};

[[noreturn, gnu::cold, gnu::noinline]] inline void throw_argument(size_t index,
                                                                  const char* expected,
                                                                  const tenon_value& actual) {
  throw Error(TENON_ERROR_TYPE, "argument " + std::to_string(index) + " must be " + expected +
                                    ", got " + tenon_tag_name(actual.tag));
}

inline void expect(const tenon_value& value, uint16_t tag, size_t index, const char* expected) {
  if (value.tag != tag) [[unlikely]] {
    throw_argument(index, expected, value);
  }
}

// For each parameter type:
//   letter, schema   its lowered letter (kernel.h) and its schema type
//   c_types          the C parameters that carry it
//   from_c           those parameters -> the C++ argument
//   from_value       a boxed value -> the C++ argument; throws naming the argument's index
//   box              the C++ argument -> a boxed value that borrows from it
//   to_c             the C++ argument -> those parameters, with `temp` as scratch space
template <class T>
struct Lowering {
  static_assert(sizeof(T) == 0,
                "kernel parameters may be const Tensor&, Tensor& (written), OptionalTensor, "
                "TensorList, int64_t, double, bool, std::string_view, Scalar, "
                "std::span<const int64_t>, std::span<const double>, std::span<const uint8_t>, "
                "Dtype, Layout, MemoryFormat, Device, Generator, Value, or std::optional of these");
  // Placeholders, so that the compiler reports only the failed assertion.
  static constexpr char letter = 'v';
  static constexpr const char* schema = nullptr;
  using c_types = Types<const tenon_value*>;
  static T& from_c(const tenon_value*, size_t);
  static T& from_value(const tenon_value&, size_t);
  static tenon_value box(const T&);
  static std::tuple<const tenon_value*> to_c(const T&, tenon_value&);
};

// True if a parameter of this type can be a symbol. Kernels that have one accept symbolic sizes.
template <class T>
inline constexpr bool takes_symbols = false;

// Lowering of types that are passed as `const tenon_value*`. to_c boxes into the scratch value.
template <class T>
struct LoweringByValue {
  static constexpr char letter = 'v';
  using c_types = Types<const tenon_value*>;
  static decltype(auto) from_c(const tenon_value* value, size_t index) {
    return Lowering<T>::from_value(*value, index);
  }
  static std::tuple<const tenon_value*> to_c(const T& argument, tenon_value& temp) {
    temp = Lowering<T>::box(argument);
    return {&temp};
  }
};

template <>
struct Lowering<Tensor> {
  static constexpr char letter = 'T';
  static constexpr const char* schema = "Tensor";
  using c_types = Types<tenon_tensor*>;
  static TensorRef from_c(tenon_tensor* handle, size_t) { return TensorRef(handle); }
  static TensorRef from_value(const tenon_value& value, size_t index) {
    expect(value, TENON_TAG_TENSOR, index, schema);
    return TensorRef(value.as.tensor);
  }
  static tenon_value box(const Tensor& tensor) {
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR;
    value.as.tensor = tensor ? tensor.get() : tenon_tensor_undefined();
    return value;
  }
  static std::tuple<tenon_tensor*> to_c(const Tensor& tensor, tenon_value&) {
    return {tensor ? tensor.get() : tenon_tensor_undefined()};
  }
};

template <>
struct Lowering<OptionalTensor> {
  static constexpr char letter = 'T';
  static constexpr const char* schema = "Tensor?";
  using c_types = Types<tenon_tensor*>;
  static OptionalTensor from_c(tenon_tensor* handle, size_t) { return OptionalTensor(handle); }
  static OptionalTensor from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_NONE) return OptionalTensor();
    expect(value, TENON_TAG_TENSOR, index, schema);
    return OptionalTensor(value.as.tensor);
  }
  static tenon_value box(const OptionalTensor& tensor) {
    tenon_value value{};
    if (tensor) {
      value.tag = TENON_TAG_TENSOR;
      value.as.tensor = tensor.get();
    }
    return value;
  }
  static std::tuple<tenon_tensor*> to_c(const OptionalTensor& tensor, tenon_value&) {
    return {tensor.get()};
  }
};

// An owned optional tensor, which a kernel may keep.
template <>
struct Lowering<std::optional<Tensor>> {
  static constexpr char letter = 'T';
  static constexpr const char* schema = "Tensor?";
  using c_types = Types<tenon_tensor*>;
  static std::optional<Tensor> from_c(tenon_tensor* handle, size_t) {
    return handle != nullptr ? std::optional<Tensor>(Tensor::retain(handle)) : std::nullopt;
  }
  static std::optional<Tensor> from_value(const tenon_value& value, size_t index) {
    return from_c(Lowering<OptionalTensor>::from_value(value, index).get(), index);
  }
  static tenon_value box(const std::optional<Tensor>& tensor) {
    return tensor ? Lowering<Tensor>::box(*tensor) : tenon_value{};
  }
  static std::tuple<tenon_tensor*> to_c(const std::optional<Tensor>& tensor, tenon_value& temp) {
    return tensor ? Lowering<Tensor>::to_c(*tensor, temp) : std::tuple<tenon_tensor*>(nullptr);
  }
};

template <>
struct Lowering<int64_t> {
  static constexpr char letter = 'i';
  static constexpr const char* schema = "int";
  using c_types = Types<int64_t>;
  static int64_t from_c(int64_t number, size_t) { return number; }
  static int64_t from_value(const tenon_value& value, size_t index) {
    if (value.tag != TENON_TAG_BOOL) expect(value, TENON_TAG_INT, index, schema);
    return value.as.i;
  }
  static tenon_value box(int64_t number) { return Scalar(number).value(); }
  static std::tuple<int64_t> to_c(int64_t number, tenon_value&) { return {number}; }
};

template <>
struct Lowering<bool> {
  static constexpr char letter = 'b';
  static constexpr const char* schema = "bool";
  using c_types = Types<int64_t>;
  static bool from_c(int64_t number, size_t) { return number != 0; }
  static bool from_value(const tenon_value& value, size_t index) {
    expect(value, TENON_TAG_BOOL, index, schema);
    return value.as.i != 0;
  }
  static tenon_value box(bool flag) { return Scalar(flag).value(); }
  static std::tuple<int64_t> to_c(bool flag, tenon_value&) { return {flag ? 1 : 0}; }
};

template <>
struct Lowering<double> {
  static constexpr char letter = 'd';
  static constexpr const char* schema = "float";
  using c_types = Types<double>;
  static double from_c(double number, size_t) { return number; }
  static double from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_INT || value.tag == TENON_TAG_BOOL) {
      return static_cast<double>(value.as.i);
    }
    expect(value, TENON_TAG_FLOAT, index, schema);
    return value.as.f;
  }
  static tenon_value box(double number) { return Scalar(number).value(); }
  static std::tuple<double> to_c(double number, tenon_value&) { return {number}; }
};

// Enumerations that are passed as an integer in typed calls and under their own tag in boxed ones.
template <class Enum, uint16_t kTag>
struct LoweringEnum {
  static constexpr char letter = 'i';
  using c_types = Types<int64_t>;
  static Enum from_c(int64_t number, size_t) { return static_cast<Enum>(number); }
  static Enum from_value(const tenon_value& value, size_t index) {
    if (value.tag != TENON_TAG_INT) expect(value, kTag, index, Lowering<Enum>::schema);
    return static_cast<Enum>(value.as.i);
  }
  static tenon_value box(Enum code) {
    tenon_value value{};
    value.tag = kTag;
    value.as.i = static_cast<int64_t>(code);
    return value;
  }
  static std::tuple<int64_t> to_c(Enum code, tenon_value&) { return {static_cast<int64_t>(code)}; }
};
template <>
struct Lowering<Dtype> : LoweringEnum<Dtype, TENON_TAG_DTYPE> {
  static constexpr const char* schema = "ScalarType";
};
template <>
struct Lowering<Layout> : LoweringEnum<Layout, TENON_TAG_LAYOUT> {
  static constexpr const char* schema = "Layout";
};
template <>
struct Lowering<MemoryFormat> : LoweringEnum<MemoryFormat, TENON_TAG_MEMORY_FORMAT> {
  static constexpr const char* schema = "MemoryFormat";
};

// Lists of plain elements. An empty list may have any list tag.
template <class T, uint16_t kTag, char kLetter>
struct LoweringSpan {
  static constexpr char letter = kLetter;
  using c_types = Types<const T*, int64_t>;
  using Span = std::span<const T>;
  static Span from_c(const T* data, int64_t count, size_t) {
    return {data, static_cast<size_t>(count)};
  }
  static Span from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_LIST && value.count == 0) return {};
    expect(value, kTag, index, Lowering<Span>::schema);
    if ((value.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) [[unlikely]] {
      throw Error(TENON_ERROR_DATA_DEPENDENT,
                  "argument " + std::to_string(index) + " must be numbers, got symbolic ones");
    }
    return {static_cast<const T*>(value.as.list.data), value.count};
  }
  static tenon_value box(Span list) {
    tenon_value value{};
    value.tag = kTag;
    value.count = static_cast<uint32_t>(list.size());
    value.as.list.data = list.data();
    return value;
  }
  static std::tuple<const T*, int64_t> to_c(Span list, tenon_value&) {
    return {list.data(), static_cast<int64_t>(list.size())};
  }
};
template <>
struct Lowering<std::span<const int64_t>> : LoweringSpan<int64_t, TENON_TAG_INT_LIST, 'I'> {
  static constexpr const char* schema = "int[]";
};
template <>
struct Lowering<std::span<const double>> : LoweringSpan<double, TENON_TAG_FLOAT_LIST, 'D'> {
  static constexpr const char* schema = "float[]";
};
template <>
struct Lowering<std::span<const uint8_t>> : LoweringSpan<uint8_t, TENON_TAG_BOOL_LIST, 'B'> {
  static constexpr const char* schema = "bool[]";
};

template <>
struct Lowering<TensorList> {
  static constexpr char letter = 'L';
  static constexpr const char* schema = "Tensor[]";
  using c_types = Types<tenon_tensor* const*, int64_t>;
  static TensorList from_c(tenon_tensor* const* handles, int64_t count, size_t) {
    return {handles, count};
  }
  static TensorList from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_LIST && value.count == 0) return {};
    expect(value, TENON_TAG_TENSOR_LIST, index, schema);
    return {static_cast<tenon_tensor* const*>(value.as.list.data), value.count};
  }
  static tenon_value box(const TensorList& list) {
    tenon_value value{};
    value.tag = TENON_TAG_TENSOR_LIST;
    value.count = static_cast<uint32_t>(list.size());
    value.as.list.data = list.data();
    return value;
  }
  static std::tuple<tenon_tensor* const*, int64_t> to_c(const TensorList& list, tenon_value&) {
    return {list.data(), list.size()};
  }
};

template <>
struct Lowering<std::string_view> {
  static constexpr char letter = 's';
  static constexpr const char* schema = "str";
  using c_types = Types<const char*, int64_t>;
  static std::string_view from_c(const char* text, int64_t size, size_t) {
    return {text, static_cast<size_t>(size)};
  }
  static std::string_view from_value(const tenon_value& value, size_t index) {
    expect(value, TENON_TAG_STRING, index, schema);
    return {static_cast<const char*>(value.as.list.data), value.count};
  }
  static tenon_value box(std::string_view text) {
    tenon_value value{};
    value.tag = TENON_TAG_STRING;
    value.count = static_cast<uint32_t>(text.size());
    value.as.list.data = text.data();
    return value;
  }
  static std::tuple<const char*, int64_t> to_c(std::string_view text, tenon_value&) {
    return {text.data(), static_cast<int64_t>(text.size())};
  }
};

template <>
struct Lowering<Scalar> : LoweringByValue<Scalar> {
  static constexpr const char* schema = "Scalar";
  static Scalar from_value(const tenon_value& value, size_t index) {
    if (value.tag < TENON_TAG_BOOL || value.tag > TENON_TAG_COMPLEX) {
      throw_argument(index, schema, value);
    }
    return Scalar(value);
  }
  static tenon_value box(const Scalar& scalar) { return scalar.value(); }
  static std::tuple<const tenon_value*> to_c(const Scalar& scalar, tenon_value&) {
    return {&scalar.value()};
  }
};

template <>
struct Lowering<Device> : LoweringByValue<Device> {
  static constexpr const char* schema = "Device";
  static Device from_value(const tenon_value& value, size_t index) {
    expect(value, TENON_TAG_DEVICE, index, schema);
    return value.as.device;
  }
  static tenon_value box(const Device& device) {
    tenon_value value{};
    value.tag = TENON_TAG_DEVICE;
    value.as.device = device;
    return value;
  }
};

template <>
struct Lowering<Generator> : LoweringByValue<Generator> {
  static constexpr const char* schema = "Generator";
  static Generator from_value(const tenon_value& value, size_t index) {
    expect(value, TENON_TAG_GENERATOR, index, schema);
    return Generator::retain(value.as.generator);
  }
  static tenon_value box(const Generator& generator) {
    tenon_value value{};
    value.tag = TENON_TAG_GENERATOR;
    value.as.generator = generator.get();
    return value;
  }
};

// A value of any type, passed unchanged.
template <>
struct Lowering<Value> : LoweringByValue<Value> {
  static constexpr const char* schema = nullptr;
  static ValueRef from_value(const tenon_value& value, size_t) { return ValueRef(value); }
  static tenon_value box(const Value& value) {
    tenon_value borrowed = value.get();
    borrowed.flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
    return borrowed;
  }
};
template <>
struct Lowering<tenon_value> : LoweringByValue<tenon_value> {
  static constexpr const char* schema = nullptr;
  static const tenon_value& from_value(const tenon_value& value, size_t) { return value; }
  static tenon_value box(const tenon_value& value) {
    tenon_value borrowed = value;
    borrowed.flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
    return borrowed;
  }
};

template <class T>
struct Lowering<std::optional<T>> : LoweringByValue<std::optional<T>> {
  static constexpr const char* schema = nullptr;  // see schema_of
  static std::optional<T> from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_NONE) return std::nullopt;
    return Lowering<T>::from_value(value, index);
  }
  // GCC warns that an empty optional's content is read if there is a call in between. It never is.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
  static tenon_value box(const std::optional<T>& argument) {
    return argument ? Lowering<T>::box(*argument) : tenon_value{};
  }
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
};

// A parameter type without reference and const. Numbers are not narrowed: an `int` or `float`
// parameter could not hold every value that the caller may pass.
template <class P>
using Parameter = std::remove_cvref_t<P>;

// Returns the schema type of a parameter, or "" if the C++ type does not determine it.
template <class T>
std::string schema_of(T*) {
  return Lowering<T>::schema != nullptr ? Lowering<T>::schema : "";
}
template <class T>
std::string schema_of(std::optional<T>*) {
  if (Lowering<std::optional<T>>::schema != nullptr) return Lowering<std::optional<T>>::schema;
  std::string inner = schema_of(static_cast<T*>(nullptr));
  return inner.empty() ? inner : inner + "?";
}

}  // namespace tenon::inline hpp::detail

#endif
