// SPDX-License-Identifier: Apache-2.0
// What a boxed call was given, by position and by name, and the stack that a schema makes of it.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/error.hpp"
#include "tenon/hpp/schema.hpp"
#include "tenon/hpp/value.hpp"

namespace tenon::inline hpp {

// One argument given by name: op(a, b, kw("alpha", 2)).
struct Keyword {
  std::string_view name;
  Value value;
};
inline Keyword kw(std::string_view name, Value value) { return {name, std::move(value)}; }

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

  // One value for each argument of the schema, its default where none was given. They are borrowed
  // from here and from the schema. Throws what does not fit, by the name `op`.
  std::vector<tenon_value> bind(const char* op, const Schema& schema) const;

 private:
  template <class A>
  void add(A&& argument) {
    if constexpr (std::is_same_v<std::remove_cvref_t<A>, Keyword>) {
      keywords.push_back(std::forward<A>(argument));
    } else {
      positional.emplace_back(std::forward<A>(argument));
    }
  }

  // What was given for the argument at `index`, or NULL.
  const Value* find(const std::string& op, size_t index, const tenon_argument_info& info) const;
};

inline const Value* Arguments::find(const std::string& op, size_t index,
                                    const tenon_argument_info& info) const {
  const Value* given = nullptr;
  if (index < positional.size()) {
    if ((info.flags & TENON_ARGUMENT_KWARG_ONLY) != 0) {
      throw Error(TENON_ERROR_TYPE, op + ": " + info.name +
                                        " must be given by keyword, got it at position " +
                                        std::to_string(index));
    }
    given = &positional[index];
  }
  for (const Keyword& keyword : keywords) {
    if (keyword.name != info.name) continue;
    if (given != nullptr) {
      throw Error(TENON_ERROR_TYPE, op + ": " + info.name + " must be given once, got it twice");
    }
    given = &keyword.value;
  }
  return given;
}

inline std::vector<tenon_value> Arguments::bind(const char* op, const Schema& schema) const {
  const std::string name = op;
  std::vector<tenon_value> bound(static_cast<size_t>(schema.argument_count()));
  if (positional.size() > bound.size()) {
    throw Error(TENON_ERROR_TYPE, name + ": arguments must be at most " +
                                      std::to_string(bound.size()) + ", got " +
                                      std::to_string(positional.size()));
  }
  for (size_t i = 0; i < bound.size(); ++i) {
    const tenon_argument_info info = schema.argument(static_cast<int64_t>(i));
    if (const Value* given = find(name, i, info)) {
      bound[i] = given->get();
    } else if (info.default_value != nullptr) {
      bound[i] = *info.default_value;
    } else {
      throw Error(TENON_ERROR_TYPE, name + ": " + info.name +
                                        " must be given, got no value; schema: " + schema.text());
    }
    bound[i].flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
  }
  for (const Keyword& keyword : keywords) {
    if (!schema.has_argument(keyword.name)) {
      throw Error(TENON_ERROR_TYPE, name + ": keyword must be an argument of " + schema.text() +
                                        ", got " + std::string(keyword.name));
    }
  }
  return bound;
}

}  // namespace detail

}  // namespace tenon::inline hpp
