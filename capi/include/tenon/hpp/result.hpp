// SPDX-License-Identifier: Apache-2.0
// Result<R>: how a kernel's C++ return type is passed through the C ABI, typed and boxed.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/result.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "tenon/hpp/lowering.hpp"

namespace tenon::inline hpp::detail {

// For each return type:
//   letters, count   the lowered letters of its outs (kernel.h) and its number of boxed results
//   schema           its schema type
//   outs             C types of the outs of a typed kernel
//   Storage          what a typed caller lets those outs point to
//   write            kernel side: the C++ result -> outs
//   box              kernel side: the C++ result -> boxed results
//   take             caller side: what was written -> the C++ result
template <class R>
struct Result {
  static_assert(sizeof(R) == 0,
                "kernel results may be void, Tensor, std::optional<Tensor>, Tensor& (a written "
                "argument), int64_t, double, bool, std::string, Scalar, std::vector<int64_t>, "
                "std::vector<Tensor>, Generator, Value, or a std::tuple of these");
  // Placeholders, so that the compiler reports only the failed assertion.
  static constexpr const char* letters = "v";
  static constexpr size_t count = 1;
  static std::string schema();
  using outs = Types<tenon_value*>;
  using Storage = tenon_value;
  static void write(const R&, tenon_value*);
  static void box(const R&, tenon_value*);
  static R take(Storage&);
  static R unbox(tenon_value&&);
};

template <>
struct Result<void> {
  static constexpr const char* letters = "";
  static constexpr size_t count = 0;
  static std::string schema() { return "()"; }
  using outs = Types<>;
};

template <>
struct Result<Tensor> {
  static constexpr const char* letters = "T";
  static constexpr size_t count = 1;
  static std::string schema() { return "Tensor"; }
  using outs = Types<tenon_tensor**>;
  using Storage = tenon_tensor*;
  static void write(Tensor&& result, tenon_tensor** out) {
    *out = result ? result.release() : tenon_tensor_undefined();
  }
  static void box(Tensor&& result, tenon_value* out) { *out = Value(std::move(result)).release(); }
  static Tensor take(Storage handle) { return Tensor(handle); }
  static Tensor unbox(tenon_value&& value) {
    if (value.tag != TENON_TAG_TENSOR) return Tensor();
    return Tensor(value.as.tensor);
  }
};

// Empty if the kernel wrote NULL.
template <>
struct Result<std::optional<Tensor>> {
  static constexpr const char* letters = "T";
  static constexpr size_t count = 1;
  static std::string schema() { return "Tensor?"; }
  using outs = Types<tenon_tensor**>;
  using Storage = tenon_tensor*;
  static void write(std::optional<Tensor>&& result, tenon_tensor** out) {
    *out = nullptr;
    if (result) Result<Tensor>::write(std::move(*result), out);
  }
  static void box(std::optional<Tensor>&& result, tenon_value* out) {
    *out = result ? Value(std::move(*result)).release() : tenon_value{};
  }
  static std::optional<Tensor> take(Storage handle) {
    return handle != nullptr ? std::optional<Tensor>(handle) : std::nullopt;
  }
  static std::optional<Tensor> unbox(tenon_value&& value) {
    return take(value.tag == TENON_TAG_TENSOR ? value.as.tensor : nullptr);
  }
};

// A return that is a written argument: the handle that the caller passed. It has no out parameter.
template <>
struct Result<Tensor&> {
  static constexpr const char* letters = "";
  static constexpr size_t count = 1;
  static std::string schema() { return "Tensor"; }
  using outs = Types<>;
  static void box(Tensor& result, tenon_value* out) {
    *out = Value(Tensor::retain(result.get())).release();
  }
};
template <>
struct Result<const Tensor&> : Result<Tensor&> {
  static void box(const Tensor& result, tenon_value* out) {
    *out = Value(Tensor::retain(result.get())).release();
  }
};

template <class T, char kLetter>
struct NumberResult {
  static constexpr char letters[2] = {kLetter, 0};
  static constexpr size_t count = 1;
  static std::string schema() { return Lowering<T>::schema; }
  using C = std::conditional_t<std::is_same_v<T, double>, double, int64_t>;
  using outs = Types<C*>;
  using Storage = C;
  static void write(T result, C* out) { *out = static_cast<C>(result); }
  static void box(T result, tenon_value* out) { *out = Lowering<T>::box(result); }
  static T take(Storage number) { return static_cast<T>(number); }
  static T unbox(tenon_value&& value) { return Lowering<T>::from_value(value, 0); }
};
template <>
struct Result<int64_t> : NumberResult<int64_t, 'i'> {};
template <>
struct Result<bool> : NumberResult<bool, 'b'> {};
template <>
struct Result<double> : NumberResult<double, 'd'> {};

// A result that is passed as one owned boxed value.
template <class T>
struct ValueResult {
  static constexpr const char* letters = "v";
  static constexpr size_t count = 1;
  using outs = Types<tenon_value*>;
  using Storage = tenon_value;
  static void write(T&& result, tenon_value* out) { *out = Value(std::move(result)).release(); }
  static void box(T&& result, tenon_value* out) { *out = Value(std::move(result)).release(); }
  static T take(Storage& value) { return Result<T>::unbox(std::move(value)); }
};
template <>
struct Result<Value> : ValueResult<Value> {
  static std::string schema() { return ""; }
  static Value unbox(tenon_value&& value) { return Value(value); }
};
template <>
struct Result<Scalar> : ValueResult<Scalar> {
  static std::string schema() { return "Scalar"; }
  // Throws for a symbol. The owner releases it.
  static Scalar unbox(tenon_value&& value) {
    const Value owner(value);
    if (value.tag >= TENON_TAG_SYMINT && value.tag <= TENON_TAG_SYMBOOL) [[unlikely]] {
      throw Error(TENON_ERROR_DATA_DEPENDENT,
                  std::string("result must be a number, got ") + tenon_tag_name(value.tag));
    }
    return owner.scalar();
  }
};
template <>
struct Result<Generator> : ValueResult<Generator> {
  static std::string schema() { return Lowering<Generator>::schema; }
  static Generator unbox(tenon_value&& value) { return Value(value).generator(); }
};
template <>
struct Result<std::string> : ValueResult<std::string> {
  static std::string schema() { return "str"; }
  static std::string unbox(tenon_value&& value) { return std::string(Value(value).text()); }
};
template <>
struct Result<std::vector<int64_t>> : ValueResult<std::vector<int64_t>> {
  static std::string schema() { return "int[]"; }
  static std::vector<int64_t> unbox(tenon_value&& value) {
    const Value owner(value);
    return {owner.ints().begin(), owner.ints().end()};
  }
};
template <>
struct Result<std::vector<Tensor>> : ValueResult<std::vector<Tensor>> {
  static std::string schema() { return "Tensor[]"; }
  static std::vector<Tensor> unbox(tenon_value&& value) {
    const Value owner(value);
    std::vector<Tensor> tensors;
    const TensorList list = owner.tensors();
    for (int64_t i = 0; i < list.size(); ++i) tensors.push_back(*list[i]);
    return tensors;
  }
};

}  // namespace tenon::inline hpp::detail

#endif
