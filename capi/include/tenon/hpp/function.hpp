// SPDX-License-Identifier: Apache-2.0
// Function values: C++ callables that any language can call, and calls of functions of any
// language.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/function.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenon/hpp/kernel.hpp"
#include "tenon/hpp/value.hpp"
#include "tenon/language.h"
#include "tenon/object.h"

// Usage:
//
//   const tenon::Value twice = tenon::make_function([](int64_t n) { return 2 * n; });
//   std::cout << tenon::call_function(twice, {tenon::Value(int64_t{21})}, 1)[0].get().as.i << '\n';

namespace tenon::inline hpp {

namespace detail {

template <class F, class Signature>
struct FunctionFor;
template <class F, class R, class... P>
struct FunctionFor<F, R(P...)> {
  static tenon_status call(void* self, tenon_stack* stack) {
    if (stack->nrets != Returns<R>::count) {
      return guarded(&stack->error, [&] {
        throw Error(TENON_ERROR_TYPE, "function gives " + std::to_string(Returns<R>::count) +
                                          " results, got room for " + std::to_string(stack->nrets));
      });
    }
    return Adapter<F, false, R, P...>::boxed(self, nullptr, 0, stack);
  }
};

template <class F>
inline constexpr tenon_object_type function_type = {
    sizeof(tenon_object_type),
    TENON_LANGUAGE_CPP,
    "C++ function",
    nullptr,
    nullptr,
    [](void* self) { delete static_cast<F*>(self); },
    nullptr,
    nullptr,
    &FunctionFor<F, typename CallableOf<F>::type>::call,
    {}};

}  // namespace detail

// Makes a function value from a callable object, such as a lambda, whose parameters and results
// have the types of kernels.
template <class F>
requires std::is_class_v<std::decay_t<F>> Value make_function(F&& callable) {
  using Callable = std::decay_t<F>;
  auto self = std::make_unique<Callable>(std::forward<F>(callable));
  tenon_object* object = nullptr;
  check(tenon_object_new(&detail::function_type<Callable>, self.get(), &object));
  static_cast<void>(self.release());
  return Value(tenon_value_give(tenon_value_of_function(object)));
}

// Calls a function value of any language, which returns `result_count` results. Throws the
// function's error, and TENON_ERROR_TYPE for a value that is no function.
inline std::vector<Value> call_function(const Value& function, const std::vector<Value>& arguments,
                                        size_t result_count = 1) {
  tenon_object* object = tenon_object_of_value(&function.get());
  if (object == nullptr) {
    throw Error(TENON_ERROR_TYPE, std::string("call_function: value must be a function, got ") +
                                      tenon_tag_name(function.tag()));
  }
  std::vector<tenon_value> args;
  args.reserve(arguments.size());
  for (const Value& argument : arguments) {
    args.push_back(argument.get());
    args.back().flags &= static_cast<uint16_t>(~TENON_VALUE_OWNED);
  }
  std::vector<tenon_value> rets(result_count);
  tenon_stack stack{};
  stack.args = args.data();
  stack.nargs = static_cast<uint32_t>(args.size());
  stack.rets = rets.data();
  stack.nrets = static_cast<uint32_t>(rets.size());
  check(tenon_object_call(object, &stack));
  std::vector<Value> results;
  results.reserve(rets.size());
  for (const tenon_value& ret : rets) results.emplace_back(ret);
  return results;
}

}  // namespace tenon::inline hpp

#endif
