// SPDX-License-Identifier: Apache-2.0
// Value: an owned boxed value. Scalar: a number. Conversions from and to C++ types.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/value.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <complex>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/buffer.h"
#include "tenon/hpp/generator.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/value.h"

// Usage:
//
//   const tenon::Value number(int64_t{3});
//   const tenon::Scalar half = 0.5;
//   y = aten::mul(x, half);
//   std::cout << number.get().as.i << ' ' << half.to_double() << '\n';

namespace tenon::inline hpp {

// A number whose type is only known at run time: bool, int, float or complex.
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  Scalar(bool value) {
    value_.tag = TENON_TAG_BOOL;
    value_.as.i = value ? 1 : 0;
  }
  template <std::integral T>
  requires(!std::same_as<T, bool>) Scalar(T value) {
    value_.tag = TENON_TAG_INT;
    value_.as.i = static_cast<int64_t>(value);
  }
  Scalar(double value) {
    value_.tag = TENON_TAG_FLOAT;
    value_.as.f = value;
  }
  Scalar(std::complex<double> value) {
    value_.tag = TENON_TAG_COMPLEX;
    value_.as.c = {value.real(), value.imag()};
  }
  explicit Scalar(const tenon_value& value) : value_(value) { value_.flags = 0; }

  bool is_bool() const { return value_.tag == TENON_TAG_BOOL; }
  bool is_int() const { return value_.tag == TENON_TAG_INT; }
  bool is_float() const { return value_.tag == TENON_TAG_FLOAT; }
  bool is_complex() const { return value_.tag == TENON_TAG_COMPLEX; }

  // Returns the dtype of the number in type promotion.
  Dtype dtype() const {
    switch (value_.tag) {
      case TENON_TAG_BOOL:
        return Dtype::Bool;
      case TENON_TAG_INT:
        return Dtype::I64;
      case TENON_TAG_FLOAT:
        return Dtype::F64;
      default:
        return Dtype::C128;
    }
  }

  std::complex<double> to_complex() const {
    return is_complex() ? std::complex<double>(value_.as.c.real, value_.as.c.imag)
                        : std::complex<double>(to_double(), 0.0);
  }
  // Throws for a complex or symbolic number.
  double to_double() const {
    require_real("float");
    return is_float() ? value_.as.f : static_cast<double>(value_.as.i);
  }
  // Truncates a float; throws for a complex or symbolic number.
  int64_t to_int() const {
    require_real("int");
    return is_float() ? static_cast<int64_t>(value_.as.f) : value_.as.i;
  }
  bool to_bool() const {
    if (is_complex()) return value_.as.c.real != 0.0 || value_.as.c.imag != 0.0;
    require_real("bool");
    return is_float() ? value_.as.f != 0.0 : value_.as.i != 0;
  }

  const tenon_value& value() const noexcept { return value_; }

 private:
  void require_real(const char* wanted) const {
    if (value_.tag >= TENON_TAG_COMPLEX) [[unlikely]] {
      refuse(wanted);
    }
  }
  [[noreturn, gnu::cold, gnu::noinline]] void refuse(const char* wanted) const {
    if (is_complex()) {
      throw Error(TENON_ERROR_TYPE,
                  std::string("Scalar: a complex number has no ") + wanted + " value");
    }
    throw Error(TENON_ERROR_DATA_DEPENDENT, std::string("Scalar: must be a number to have a ") +
                                                wanted + " value, got " +
                                                tenon_tag_name(value_.tag));
  }

  tenon_value value_{};
};

// A boxed value that owns its contents.
class Value {
 public:
  Value() noexcept : value_{} {}
  Value(std::nullopt_t) noexcept : value_{} {}
  Value(std::nullptr_t) noexcept : value_{} {}
  // Takes over the contents of a value.
  explicit Value(tenon_value value) noexcept : value_(value) {}
  Value(const Value& other) : value_{} { check(tenon_value_copy(&other.value_, &value_)); }
  Value(Value&& other) noexcept : value_(std::exchange(other.value_, tenon_value{})) {}
  Value& operator=(Value other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Value() {
    if ((value_.flags & TENON_VALUE_OWNED) != 0) tenon_value_clear(&value_);
  }

  Value(const Scalar& scalar) noexcept : value_(scalar.value()) {}
  template <class T>
  requires std::is_arithmetic_v<T> Value(T number)
  noexcept : value_(Scalar(number).value()) {}
  Value(std::complex<double> number) noexcept : value_(Scalar(number).value()) {}
  Value(Dtype dtype) noexcept : value_(code(TENON_TAG_DTYPE, static_cast<int64_t>(dtype))) {}
  Value(Layout layout) noexcept : value_(code(TENON_TAG_LAYOUT, static_cast<int64_t>(layout))) {}
  Value(MemoryFormat format) noexcept
      : value_(code(TENON_TAG_MEMORY_FORMAT, static_cast<int64_t>(format))) {}
  Value(const Device& device) noexcept : value_{} {
    value_.tag = TENON_TAG_DEVICE;
    value_.as.device = device;
  }
  Value(Tensor tensor) noexcept : value_{} {
    value_.tag = TENON_TAG_TENSOR;
    value_.flags = TENON_VALUE_OWNED;
    value_.as.tensor = tensor ? tensor.release() : tenon_tensor_undefined();
  }
  Value(Generator generator) noexcept : value_{} {
    value_.tag = TENON_TAG_GENERATOR;
    value_.flags = TENON_VALUE_OWNED;
    value_.as.generator = generator.release();
  }
  Value(const OptionalTensor& tensor) noexcept : value_{} {
    if (tensor) *this = Value(*tensor);
  }
  Value(std::string_view text) : value_{} {
    check(tenon_value_new_string(text.data(), static_cast<int64_t>(text.size()), &value_));
  }
  Value(const char* text) : Value(std::string_view(text)) {}
  Value(const std::string& text) : Value(std::string_view(text)) {}
  Value(std::span<const int64_t> list) : Value(TENON_TAG_INT_LIST, list.data(), list.size()) {}
  Value(std::span<const double> list) : Value(TENON_TAG_FLOAT_LIST, list.data(), list.size()) {}
  Value(const std::vector<int64_t>& list) : Value(std::span<const int64_t>(list)) {}
  Value(const std::vector<double>& list) : Value(std::span<const double>(list)) {}
  Value(const TensorList& list)
      : Value(TENON_TAG_TENSOR_LIST, list.data(), static_cast<size_t>(list.size())) {}
  Value(const std::vector<Tensor>& list) : Value(TensorList(list)) {}
  template <class T>
  Value(const std::optional<T>& value) : value_{} {
    if (value) *this = Value(*value);
  }
  // Makes a list, tuple or dict of kind `tag` from elements of the C type that the tag names.
  Value(uint16_t tag, const void* elements, size_t count) : value_{} {
    check(tenon_value_new_list(tag, elements, static_cast<int64_t>(count), &value_));
  }

  uint16_t tag() const noexcept { return value_.tag; }
  bool is_none() const noexcept { return value_.tag == TENON_TAG_NONE; }
  const tenon_value& get() const noexcept { return value_; }
  tenon_value release() noexcept { return std::exchange(value_, tenon_value{}); }

  Tensor tensor() const {
    expect(TENON_TAG_TENSOR);
    return Tensor::retain(value_.as.tensor);
  }
  Generator generator() const {
    expect(TENON_TAG_GENERATOR);
    return Generator::retain(value_.as.generator);
  }
  Scalar scalar() const {
    if (value_.tag < TENON_TAG_BOOL || value_.tag > TENON_TAG_COMPLEX) expect(TENON_TAG_INT);
    return Scalar(value_);
  }
  int64_t to_int() const { return scalar().to_int(); }
  double to_double() const { return scalar().to_double(); }
  bool to_bool() const { return scalar().to_bool(); }
  std::string_view text() const {
    expect(TENON_TAG_STRING);
    return {static_cast<const char*>(value_.as.list.data), value_.count};
  }
  // Throws for a list with symbols, because its elements are words: see SymInt.
  std::span<const int64_t> ints() const {
    expect(TENON_TAG_INT_LIST);
    if ((value_.flags & TENON_VALUE_HAS_SYMBOLIC) != 0) [[unlikely]] {
      throw Error(TENON_ERROR_DATA_DEPENDENT, "Value: ints must be numbers, got symbolic ones");
    }
    return {static_cast<const int64_t*>(value_.as.list.data), value_.count};
  }
  std::span<const double> doubles() const {
    expect(TENON_TAG_FLOAT_LIST);
    return {static_cast<const double*>(value_.as.list.data), value_.count};
  }
  TensorList tensors() const {
    expect(TENON_TAG_TENSOR_LIST);
    return {static_cast<tenon_tensor* const*>(value_.as.list.data), value_.count};
  }

  std::string str() const {
    tenon_buffer* text = nullptr;
    check(tenon_value_print(&value_, &text));
    std::string result(static_cast<const char*>(tenon_buffer_data(text)));
    tenon_buffer_release(text);
    return result;
  }

 private:
  static tenon_value code(uint16_t tag, int64_t number) noexcept {
    tenon_value value{};
    value.tag = tag;
    value.as.i = number;
    return value;
  }
  void expect(uint16_t tag) const {
    if (value_.tag != tag) [[unlikely]] {
      throw Error(TENON_ERROR_TYPE, std::string("Value: must be ") + tenon_tag_name(tag) +
                                        ", got " + tenon_tag_name(value_.tag));
    }
  }

  tenon_value value_;
};

// A Value that owns nothing, so that a borrowed boxed value can be passed as `const Value&`.
class ValueRef {
 public:
  explicit ValueRef(const tenon_value& value) noexcept : value_(value) {}
  ValueRef(const ValueRef& other) noexcept : value_(other.value_.get()) {}
  ValueRef& operator=(const ValueRef&) = delete;
  ~ValueRef() {}  // the member is in a union, so its destructor does not run

  operator const Value&() const noexcept { return value_; }

 private:
  union {
    Value value_;
  };
};

}  // namespace tenon::inline hpp

#endif
