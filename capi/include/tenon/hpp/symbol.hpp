// SPDX-License-Identifier: Apache-2.0
// Symbolic numbers: sizes without a fixed value, and the guards on them.
//
//   ShapeEnv env;
//   const SymInt batch = env.new_size(4);
//   const Tensor x = empty_symbolic({batch, 3});   // on meta
//   x.sym_numel();                               // 3*s0
//   if (batch < 10) ...                          // decided by the hint: records a guard
//   env.first_failure({{batch, 12}});            // "s0 < 10", with file and line
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/symbol.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tenon/hpp/error.hpp"
#include "tenon/hpp/lowering.hpp"
#include "tenon/hpp/result.hpp"
#include "tenon/hpp/site.hpp"
#include "tenon/hpp/tensor.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/symbol.h"

// Usage:
//
//   const tenon::ShapeEnv env;
//   const tenon::FakeMode mode(env);
//   const tenon::Tensor batch = mode.from(x, {"batch", std::nullopt});
//   std::cout << env.str() << '\n';

namespace tenon::inline hpp {

class SymBool;
class SymFloat;
class SymInt;

namespace detail {

inline std::string take_text(tenon_buffer* text) {
  std::string result(static_cast<const char*>(tenon_buffer_data(text)),
                     static_cast<size_t>(tenon_buffer_size(text)));
  tenon_buffer_release(text);
  return result;
}

// A number or a symbol; base class of SymBool, SymFloat and SymInt.
class SymNumber {
 public:
  bool is_symbolic() const noexcept { return value_.tag() >= TENON_TAG_SYMINT; }
  // Returns the symbol, borrowed, or NULL for a number.
  tenon_symbol* symbol() const noexcept { return is_symbolic() ? value_.get().as.symbol : nullptr; }
  const Value& value() const noexcept { return value_; }
  operator Value() const { return value_; }
  // Returns the expression in Python syntax: "s0*s1 + 1".
  std::string str() const { return value_.str(); }

 protected:
  explicit SymNumber(Value value) noexcept : value_(std::move(value)) {}

  static Value apply(uint32_t function, std::initializer_list<const SymNumber*> arguments) {
    tenon_value args[2];
    int64_t count = 0;
    for (const SymNumber* each : arguments) args[count++] = each->value_.get();
    tenon_value result{};
    check(tenon_symbol_apply(function, args, count, &result));
    return Value(result);
  }
  // Converts a symbol to a number and records a guard with `site`.
  Value guard(Site site) const {
    tenon_value number{};
    check(tenon_symbol_guard(&value_.get(), site.file, site.line, &number));
    return Value(number);
  }
  // Returns the hint, the number in the current example, or an empty Value if the symbol is
  // unbacked.
  Value hint_value() const {
    if (!is_symbolic()) return value_;
    tenon_value hint{};
    tenon_symbol_hint(symbol(), &hint);
    return Value(hint);
  }

 private:
  Value value_;
};

}  // namespace detail

// A bool that may be symbolic, such as s0 < s1. Cheap to copy.
class SymBool : public detail::SymNumber {
 public:
  SymBool(bool truth) noexcept : SymNumber(Value(truth)) {}
  // Takes over a BOOL or SYMBOOL.
  explicit SymBool(Value value) noexcept : SymNumber(std::move(value)) {}

  // Decides the value. If it is not known, uses hints and records a guard with the caller's source
  // location.
  bool guard_bool(Site site = Site::here()) const { return guard(site).to_bool(); }
  std::optional<bool> hint() const {
    const Value hint = hint_value();
    return hint.is_none() ? std::nullopt : std::optional<bool>(hint.to_bool());
  }

  friend SymBool operator&(const SymBool& a, const SymBool& b) {
    return SymBool(apply(TENON_SYMBOL_AND, {&a, &b}));
  }
  friend SymBool operator|(const SymBool& a, const SymBool& b) {
    return SymBool(apply(TENON_SYMBOL_OR, {&a, &b}));
  }
  friend SymBool operator~(const SymBool& a) { return SymBool(apply(TENON_SYMBOL_NOT, {&a})); }
};

// A float that may be symbolic, such as s0 / 2. Cheap to copy.
class SymFloat : public detail::SymNumber {
 public:
  SymFloat(double number) noexcept : SymNumber(Value(number)) {}
  // Takes over a FLOAT or SYMFLOAT.
  explicit SymFloat(Value value) noexcept : SymNumber(std::move(value)) {}

  double guard_float(Site site = Site::here()) const { return guard(site).to_double(); }
  std::optional<double> hint() const {
    const Value hint = hint_value();
    return hint.is_none() ? std::nullopt : std::optional<double>(hint.to_double());
  }
  SymFloat sqrt() const { return SymFloat(apply(TENON_SYMBOL_SQRT, {this})); }
  SymBool sym_lt(const SymFloat& other) const {
    return SymBool(apply(TENON_SYMBOL_LT, {this, &other}));
  }
  SymBool sym_le(const SymFloat& other) const {
    return SymBool(apply(TENON_SYMBOL_LE, {this, &other}));
  }

  friend SymFloat operator+(const SymFloat& a, const SymFloat& b) {
    return SymFloat(apply(TENON_SYMBOL_ADD, {&a, &b}));
  }
  friend SymFloat operator-(const SymFloat& a, const SymFloat& b) {
    return SymFloat(apply(TENON_SYMBOL_SUB, {&a, &b}));
  }
  friend SymFloat operator*(const SymFloat& a, const SymFloat& b) {
    return SymFloat(apply(TENON_SYMBOL_MUL, {&a, &b}));
  }
  friend SymFloat operator/(const SymFloat& a, const SymFloat& b) {
    return SymFloat(apply(TENON_SYMBOL_TRUEDIV, {&a, &b}));
  }
};

// An int that may be symbolic, such as a size. Cheap to copy; equal expressions are one symbol.
//
// Relational operators return a bool. If hints decide the relation, they record a guard with the
// source location of the expression. sym_eq() and similar functions return the relation itself.
class SymInt : public detail::SymNumber {
 public:
  SymInt() noexcept : SymInt(int64_t{0}) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) SymInt(T number)
  noexcept : SymNumber(Value(static_cast<int64_t>(number))) {}
  // Takes over an INT or SYMINT.
  explicit SymInt(Value value) noexcept : SymNumber(std::move(value)) {}
  // Makes a SymInt from a word, as shape rules use them (symbol.h). Retains the word's symbol.
  static SymInt of_word(int64_t word) {
    if (tenon_dim_is_symbol(word) == 0) return SymInt(word);
    return adopt(tenon_symbol_retain(tenon_dim_symbol(word)));
  }
  // Takes over a reference to an int symbol.
  static SymInt adopt(tenon_symbol* symbol) noexcept {
    tenon_value value = tenon_value_of_none();
    value.tag = TENON_TAG_SYMINT;
    value.flags = TENON_VALUE_OWNED;
    value.as.symbol = symbol;
    return SymInt(Value(value));
  }

  // Returns the word, which borrows the symbol. Throws for a number below -2^62, which has no word.
  int64_t word() const {
    if (is_symbolic()) return tenon_dim_of_symbol(symbol());
    const int64_t number = value().get().as.i;
    if (tenon_dim_is_symbol(number) != 0) [[unlikely]] {
      throw Error(
          TENON_ERROR_INVALID_ARGUMENT,
          "SymInt: number beside symbols must be at least -2^62, got " + std::to_string(number));
    }
    return number;
  }
  std::optional<int64_t> maybe_as_int() const noexcept {
    return is_symbolic() ? std::nullopt : std::optional<int64_t>(value().get().as.i);
  }
  // Converts to a number and records a guard with the caller's source location.
  int64_t guard_int(Site site = Site::here()) const { return guard(site).to_int(); }
  std::optional<int64_t> hint() const {
    const Value hint = hint_value();
    return hint.is_none() ? std::nullopt : std::optional<int64_t>(hint.to_int());
  }
  // Returns the known lower and upper bound. INT64_MIN and INT64_MAX mean no bound.
  std::pair<int64_t, int64_t> bounds() const {
    if (!is_symbolic()) return {value().get().as.i, value().get().as.i};
    std::pair<int64_t, int64_t> bounds;
    check(tenon_symbol_bounds(symbol(), &bounds.first, &bounds.second));
    return bounds;
  }
  // Evaluates the expression with numbers for its variables. Records no guard.
  int64_t evaluate(std::span<const std::pair<SymInt, int64_t>> numbers) const;
  int64_t evaluate(std::initializer_list<std::pair<SymInt, int64_t>> numbers) const {
    return evaluate(std::span(numbers.begin(), numbers.size()));
  }

  SymInt max(const SymInt& other) const { return SymInt(apply(TENON_SYMBOL_MAX, {this, &other})); }
  SymInt min(const SymInt& other) const { return SymInt(apply(TENON_SYMBOL_MIN, {this, &other})); }
  SymFloat truediv(const SymInt& other) const {
    return SymFloat(apply(TENON_SYMBOL_TRUEDIV, {this, &other}));
  }
  SymFloat sqrt() const { return SymFloat(apply(TENON_SYMBOL_SQRT, {this})); }
  SymFloat sym_float() const { return SymFloat(apply(TENON_SYMBOL_FLOAT, {this})); }

  SymBool sym_eq(const SymInt& other) const { return relation(TENON_SYMBOL_EQ, *this, other); }
  SymBool sym_ne(const SymInt& other) const { return relation(TENON_SYMBOL_NE, *this, other); }
  SymBool sym_lt(const SymInt& other) const { return relation(TENON_SYMBOL_LT, *this, other); }
  SymBool sym_le(const SymInt& other) const { return relation(TENON_SYMBOL_LE, *this, other); }
  SymBool sym_gt(const SymInt& other) const { return relation(TENON_SYMBOL_GT, *this, other); }
  SymBool sym_ge(const SymInt& other) const { return relation(TENON_SYMBOL_GE, *this, other); }

  friend SymInt operator+(const SymInt& a, const SymInt& b) {
    return SymInt(apply(TENON_SYMBOL_ADD, {&a, &b}));
  }
  friend SymInt operator-(const SymInt& a, const SymInt& b) {
    return SymInt(apply(TENON_SYMBOL_SUB, {&a, &b}));
  }
  friend SymInt operator*(const SymInt& a, const SymInt& b) {
    return SymInt(apply(TENON_SYMBOL_MUL, {&a, &b}));
  }
  // Rounds down, as Python's // does.
  friend SymInt operator/(const SymInt& a, const SymInt& b) {
    return SymInt(apply(TENON_SYMBOL_FLOORDIV, {&a, &b}));
  }
  // Has the sign of `b`, as Python's % does.
  friend SymInt operator%(const SymInt& a, const SymInt& b) {
    return SymInt(apply(TENON_SYMBOL_MOD, {&a, &b}));
  }
  friend SymInt operator-(const SymInt& a) { return SymInt(0) - a; }
  SymInt& operator+=(const SymInt& other) { return *this = *this + other; }
  SymInt& operator-=(const SymInt& other) { return *this = *this - other; }
  SymInt& operator*=(const SymInt& other) { return *this = *this * other; }
  SymInt& operator/=(const SymInt& other) { return *this = *this / other; }

  // One side of a relation, with its source location. Operators cannot have default arguments, so
  // the location is a default argument of this constructor.
  struct Side {
    template <std::convertible_to<SymInt> T>
    Side(const T& operand, Site where = Site::here())
        : number(SymInt(operand).value()), site(where) {}
    Value number;
    Site site;
  };
  friend bool operator==(const Side& a, const Side& b) { return decide(TENON_SYMBOL_EQ, a, b); }
  friend bool operator!=(const Side& a, const Side& b) { return decide(TENON_SYMBOL_NE, a, b); }
  friend bool operator<(const Side& a, const Side& b) { return decide(TENON_SYMBOL_LT, a, b); }
  friend bool operator<=(const Side& a, const Side& b) { return decide(TENON_SYMBOL_LE, a, b); }
  friend bool operator>(const Side& a, const Side& b) { return decide(TENON_SYMBOL_GT, a, b); }
  friend bool operator>=(const Side& a, const Side& b) { return decide(TENON_SYMBOL_GE, a, b); }

 private:
  static SymBool relation(uint32_t function, const SymInt& a, const SymInt& b) {
    return SymBool(apply(function, {&a, &b}));
  }
  static bool decide(uint32_t function, const Side& a, const Side& b) {
    return relation(function, SymInt(a.number), SymInt(b.number)).guard_bool(b.site);
  }
};

inline std::ostream& operator<<(std::ostream& out, const detail::SymNumber& number) {
  return out << number.str();
}

// Symbols, each with a number to use for it.
using SymbolNumbers = std::span<const std::pair<SymInt, int64_t>>;

namespace detail {

struct VariablesAndNumbers {
  explicit VariablesAndNumbers(SymbolNumbers pairs) {
    for (const auto& [variable, number] : pairs) {
      if (!variable.is_symbolic()) {
        throw Error(TENON_ERROR_TYPE, "numbers: keys must be symbols, got " + variable.str());
      }
      variables.push_back(variable.symbol());
      numbers.push_back(number);
    }
  }
  int64_t count() const { return static_cast<int64_t>(numbers.size()); }

  std::vector<const tenon_symbol*> variables;
  std::vector<int64_t> numbers;
};

inline std::vector<int64_t> words_of(std::span<const SymInt> sizes) {
  std::vector<int64_t> words;
  words.reserve(sizes.size());
  for (const SymInt& size : sizes) words.push_back(size.word());
  return words;
}

inline std::vector<SymInt> sizes_of_list(const tenon_value& list) {
  const auto* words = static_cast<const int64_t*>(list.as.list.data);
  if ((list.flags & TENON_VALUE_HAS_SYMBOLIC) == 0) return {words, words + list.count};
  std::vector<SymInt> sizes;
  for (uint32_t k = 0; k < list.count; ++k) sizes.push_back(SymInt::of_word(words[k]));
  return sizes;
}

}  // namespace detail

inline int64_t SymInt::evaluate(SymbolNumbers numbers) const {
  if (!is_symbolic()) return value().get().as.i;
  const detail::VariablesAndNumbers given(numbers);
  int64_t number = 0;
  check(tenon_symbol_evaluate(symbol(), given.variables.data(), given.numbers.data(), given.count(),
                              &number));
  return number;
}

// Makes a list of sizes, to be passed as an argument of a call.
inline Value sym_list(std::span<const SymInt> sizes) {
  std::vector<int64_t> words;
  for (const SymInt& size : sizes) {
    if (!size.is_symbolic()) {
      words.push_back(size.value().get().as.i);
      continue;
    }
    words = detail::words_of(sizes);
    break;
  }
  tenon_value borrowed = tenon_value_of_none(), owned{};
  borrowed.tag = TENON_TAG_INT_LIST;
  borrowed.count = static_cast<uint32_t>(words.size());
  borrowed.as.list.data = words.data();
  for (const SymInt& size : sizes) {
    if (size.is_symbolic()) borrowed.flags = TENON_VALUE_HAS_SYMBOLIC;
  }
  check(tenon_value_copy(&borrowed, &owned));
  return Value(owned);
}
inline Value sym_list(std::initializer_list<SymInt> sizes) {
  return sym_list(std::span(sizes.begin(), sizes.size()));
}

// A relation that must hold for the numbers of variables, and what caused it.
struct ShapeGuard {
  std::string text;  // "s0 == s1"
  std::string op;    // operator whose kernel caused it; empty: none
  std::string file;  // empty: unknown
  int32_t line = 0;
};

// Options of a new variable.
struct SymbolOptions {
  std::string name = {};             // empty: s0 and so on; u0 and so on without a hint
  std::optional<int64_t> hint = {};  // none: the value depends on data
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
};

// Owns symbols and the guards on them. Cheap to copy; copies refer to the same environment.
class ShapeEnv {
 public:
  ShapeEnv() { check(tenon_shape_env_new(0, &env_)); }
  // Takes over the reference.
  explicit ShapeEnv(tenon_shape_env* env) noexcept : env_(env) {}
  ShapeEnv(const ShapeEnv& other) noexcept : env_(tenon_shape_env_retain(other.env_)) {}
  ShapeEnv(ShapeEnv&& other) noexcept : env_(std::exchange(other.env_, nullptr)) {}
  ShapeEnv& operator=(ShapeEnv other) noexcept {
    std::swap(env_, other.env_);
    return *this;
  }
  ~ShapeEnv() { tenon_shape_env_release(env_); }

  tenon_shape_env* get() const noexcept { return env_; }

  // Creates a size: the number itself for 0 and 1, which shape rules treat specially, and otherwise
  // a variable >= 2.
  SymInt new_size(int64_t hint) const {
    tenon_value size{};
    check(tenon_shape_env_new_size(env_, hint, &size));
    return SymInt(Value(size));
  }
  SymInt new_symbol(const SymbolOptions& options = {}) const {
    const tenon_value hint = tenon_value_of_int(options.hint.value_or(0));
    tenon_symbol* symbol = nullptr;
    check(tenon_symbol_new(env_, TENON_TAG_SYMINT,
                           options.name.empty() ? nullptr : options.name.c_str(),
                           options.hint ? &hint : nullptr, options.min, options.max, &symbol));
    return SymInt::adopt(symbol);
  }

  // Returns the guards that no other guard implies, in the order in which they were recorded.
  std::vector<ShapeGuard> guards() const {
    std::vector<ShapeGuard> guards;
    const int64_t count = tenon_shape_env_guard_count(env_);
    for (int64_t k = 0; k < count; ++k) {
      tenon_shape_guard guard{};
      guard.struct_size = sizeof guard;
      check(tenon_shape_env_guard(env_, k, &guard));
      const auto text = [](const char* given) { return given != nullptr ? given : ""; };
      guards.push_back({text(guard.text), text(guard.op), text(guard.file), guard.line});
      tenon_buffer_release(guard.owner);
    }
    return guards;
  }
  // Returns the first guard or bound that does not hold with numbers for variables, if any.
  std::optional<std::string> first_failure(SymbolNumbers numbers) const {
    const detail::VariablesAndNumbers given(numbers);
    int32_t holds = 0;
    tenon_buffer* failure = nullptr;
    check(tenon_shape_env_check(env_, given.variables.data(), given.numbers.data(), given.count(),
                                &holds, &failure));
    if (failure == nullptr) return std::nullopt;
    return detail::take_text(failure);
  }
  std::optional<std::string> first_failure(
      std::initializer_list<std::pair<SymInt, int64_t>> numbers) const {
    return first_failure(SymbolNumbers(numbers.begin(), numbers.size()));
  }
  // Returns the variables with hints, bounds and replacements, followed by the guards, one per
  // line.
  std::string str() const {
    tenon_buffer* text = nullptr;
    check(tenon_shape_env_print(env_, &text));
    return detail::take_text(text);
  }
  friend bool operator==(const ShapeEnv& a, const ShapeEnv& b) noexcept { return a.env_ == b.env_; }

 private:
  tenon_shape_env* env_ = nullptr;
};

// ---- Tensors --------------------------------------------------------------------------------

inline std::vector<SymInt> Tensor::sym_dims(uint32_t what) const {
  tenon_value list{};
  check(tenon_tensor_dims(some(), what, &list));
  const Value owner(list);
  return detail::sizes_of_list(list);
}
inline std::vector<SymInt> Tensor::sym_sizes() const { return sym_dims(TENON_DIMS_SIZES); }
inline std::vector<SymInt> Tensor::sym_strides() const { return sym_dims(TENON_DIMS_STRIDES); }
inline SymInt Tensor::sym_size(int64_t dim) const {
  return sym_sizes()[static_cast<size_t>(wrap(dim))];
}
inline SymInt Tensor::sym_numel() const {
  tenon_value numel{};
  check(tenon_tensor_dims(some(), TENON_DIMS_NUMEL, &numel));
  return SymInt(Value(numel));
}
inline SymInt Tensor::sym_storage_offset() const {
  tenon_value offset{};
  check(tenon_tensor_dims(some(), TENON_DIMS_OFFSET, &offset));
  return SymInt(Value(offset));
}

// Creates a tensor without memory with these sizes, row-major unless strides are given. The device
// must have no memory: meta, or the device of a fake tensor, which makes the result fake.
inline Tensor empty_symbolic(std::span<const SymInt> sizes,
                             const TensorOptions& options = {default_dtype(), Device("meta")},
                             std::span<const SymInt> strides = {}) {
  if (!strides.empty() && strides.size() != sizes.size()) {
    detail::fail_counts("empty_symbolic", sizes.size(), strides.size());
  }
  const std::vector<int64_t> words = detail::words_of(sizes), steps = detail::words_of(strides);
  tenon_symbolic_options whole{};
  whole.struct_size = sizeof whole;
  whole.dtype = static_cast<tenon_dtype>(options.dtype);
  whole.device = &options.device;
  whole.ndim = static_cast<int64_t>(words.size());
  whole.sizes = words.data();
  whole.strides = steps.empty() ? nullptr : steps.data();
  tenon_tensor* made = nullptr;
  check(tenon_tensor_new_symbolic(&whole, &made));
  return Tensor(made);
}
inline Tensor empty_symbolic(std::initializer_list<SymInt> sizes,
                             const TensorOptions& options = {default_dtype(), Device("meta")}) {
  return empty_symbolic(std::span(sizes.begin(), sizes.size()), options);
}

// ---- Kernels: parameters and results -----------------------------------------------------------

namespace detail {

// A kernel with a SymInt parameter receives symbols. Its callers are boxed.
template <>
inline constexpr bool takes_symbols<SymInt> = true;
template <>
inline constexpr bool takes_symbols<std::optional<SymInt>> = true;
template <>
inline constexpr bool takes_symbols<std::vector<SymInt>> = true;

template <>
struct Lowering<SymInt> {
  static constexpr char letter = 'i';
  static constexpr const char* schema = "SymInt";
  using c_types = Types<int64_t>;
  static SymInt from_c(int64_t number, size_t) { return SymInt(number); }
  static SymInt from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_INT || value.tag == TENON_TAG_BOOL) return SymInt(value.as.i);
    expect(value, TENON_TAG_SYMINT, index, schema);
    return SymInt::adopt(tenon_symbol_retain(value.as.symbol));
  }
  static tenon_value box(const SymInt&) = delete;
};

template <>
struct Lowering<std::vector<SymInt>> {
  static constexpr char letter = 'I';
  static constexpr const char* schema = "SymInt[]";
  using c_types = Types<const int64_t*, int64_t>;
  static std::vector<SymInt> from_c(const int64_t* data, int64_t count, size_t) {
    return {data, data + count};
  }
  static std::vector<SymInt> from_value(const tenon_value& value, size_t index) {
    if (value.tag == TENON_TAG_LIST && value.count == 0) return {};
    expect(value, TENON_TAG_INT_LIST, index, schema);
    return sizes_of_list(value);
  }
  static tenon_value box(const std::vector<SymInt>&) = delete;
};

// A typed caller receives a number: a symbol is converted with a guard, or fails without a hint.
template <>
struct Result<SymInt> {
  static constexpr const char* letters = "i";
  static constexpr size_t count = 1;
  static std::string schema() { return "SymInt"; }
  using outs = Types<int64_t*>;
  using Storage = int64_t;
  static void write(SymInt&& result, int64_t* out) { *out = result.guard_int(); }
  static void box(SymInt&& result, tenon_value* out) { *out = Value(result).release(); }
  static SymInt take(Storage number) { return SymInt(number); }
  static SymInt unbox(tenon_value&& value) { return SymInt(Value(value)); }
};

}  // namespace detail

}  // namespace tenon::inline hpp

#endif
