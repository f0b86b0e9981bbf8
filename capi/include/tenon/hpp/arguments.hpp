// SPDX-License-Identifier: Apache-2.0
// Arguments of a boxed call, positional and named, in the form that the C interface expects.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/arguments.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/error.hpp"
#include "tenon/hpp/schema.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/op.h"

namespace tenon::inline hpp {

// A named argument: op(a, b, kw("alpha", 2)).
struct Keyword {
  std::string name;
  Value value;
};
inline Keyword kw(std::string_view name, Value value) {
  return {std::string(name), std::move(value)};
}

namespace detail {

struct Arguments {
  std::vector<Value> positional;
  std::vector<Keyword> keywords;

  template <class... A>
  static Arguments of(A&&... arguments) {
    Arguments all;
    all.positional.reserve(sizeof...(A));
    (all.add(std::forward<A>(arguments)), ...);
    return all;
  }

 private:
  template <class A>
  void add(A&& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<A>, Keyword>) {
      keywords.push_back(std::forward<A>(argument));
    } else {
      positional.emplace_back(std::forward<A>(argument));
    }
  }
};

// Arrays of the values and names, borrowed from Arguments.
class ArgumentArrays {
 public:
  explicit ArgumentArrays(const Arguments& arguments) {
    positional_.reserve(arguments.positional.size());
    for (const Value& value : arguments.positional) positional_.push_back(value.get());
    names_.reserve(arguments.keywords.size());
    named_.reserve(arguments.keywords.size());
    for (const Keyword& keyword : arguments.keywords) {
      names_.push_back(keyword.name.c_str());
      named_.push_back(keyword.value.get());
    }
  }

  void call(const tenon_op* op, std::vector<tenon_value>* rets) const {
    check(tenon_op_call_named(op, positional_.data(), positional_count(), names_.data(),
                              named_.data(), named_count(), rets->data(),
                              static_cast<int64_t>(rets->size())));
  }
  void bind(const Schema& schema, std::vector<tenon_value>* out_values) const {
    const size_t declared = static_cast<size_t>(schema.argument_count());
    const bool more = (schema.flags() & TENON_SCHEMA_VARARG) != 0 && positional_.size() > declared;
    out_values->resize(more ? positional_.size() : declared);
    check(tenon_schema_bind(schema.get(), positional_.data(), positional_count(), names_.data(),
                            named_.data(), named_count(), out_values->data()));
  }

 private:
  int64_t positional_count() const { return static_cast<int64_t>(positional_.size()); }
  int64_t named_count() const { return static_cast<int64_t>(named_.size()); }

  std::vector<tenon_value> positional_;
  std::vector<const char*> names_;
  std::vector<tenon_value> named_;
};

// One value for each argument of a schema, converted, with defaults filled in. The values borrow
// from the arguments and the schema, except lists that a conversion made.
class BoundArguments {
 public:
  BoundArguments(const Schema& schema, const Arguments& arguments) {
    ArgumentArrays(arguments).bind(schema, &values_);
  }
  ~BoundArguments() { tenon_value_clear_n(values_.data(), size()); }
  BoundArguments(const BoundArguments&) = delete;
  BoundArguments& operator=(const BoundArguments&) = delete;

  const tenon_value* data() const { return values_.data(); }
  int64_t size() const { return static_cast<int64_t>(values_.size()); }

 private:
  std::vector<tenon_value> values_;
};

}  // namespace detail

}  // namespace tenon::inline hpp

#endif
