// SPDX-License-Identifier: Apache-2.0
// Adapter: turns a C++ callable into a kernel with a boxed form and, if possible, a typed form.
#pragma once

#if __cplusplus <= 201703L
#error "tenon/hpp/kernel.hpp needs C++20: compile with -std=c++20 or later"
#else

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tenon/frame.h"
#include "tenon/hpp/keys.hpp"
#include "tenon/hpp/result.hpp"
#include "tenon/value.h"

namespace tenon::inline hpp::detail {

// The signature of a function pointer or of a functor with one call operator.
template <class F>
struct CallableOf : CallableOf<decltype(&F::operator())> {};
template <class R, class... A>
struct CallableOf<R (*)(A...)> {
  using type = R(A...);
};
template <class R, class C, class... A>
struct CallableOf<R (C::*)(A...)> {
  using type = R(A...);
};
template <class R, class C, class... A>
struct CallableOf<R (C::*)(A...) const> {
  using type = R(A...);
};
template <class R, class... A>
struct CallableOf<R (*)(A...) noexcept> : CallableOf<R (*)(A...)> {};
template <class R, class C, class... A>
struct CallableOf<R (C::*)(A...) const noexcept> : CallableOf<R (C::*)(A...) const> {};

// Callables that can become a kernel: a plain function, or an object with one call operator.
template <class F>
concept KernelCallable =
    (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>) || requires {
  &F::operator();
};

template <class A, class B>
struct ConcatTwo;
template <class... A, class... B>
struct ConcatTwo<Types<A...>, Types<B...>> {
  using type = Types<A..., B...>;
};
template <class... Lists>
struct Concat {
  using type = Types<>;
};
template <class First, class... Rest>
struct Concat<First, Rest...> {
  using type = typename ConcatTwo<First, typename Concat<Rest...>::type>::type;
};

template <class List>
struct SizeOf;
template <class... T>
struct SizeOf<Types<T...>> {
  static constexpr size_t value = sizeof...(T);
};

// The elements of a return type: none for void, one, or the elements of a tuple.
template <class R>
struct Returns {
  static constexpr size_t count = Result<R>::count;
  using outs = typename Result<R>::outs;
  static std::string letters() { return Result<R>::letters; }
  static std::string schema() { return Result<R>::schema(); }
};
template <class... R>
struct Returns<std::tuple<R...>> {
  static constexpr size_t count = sizeof...(R);
  using outs = typename Concat<typename Result<R>::outs...>::type;
  static std::string schema() {
    std::string text = "(";
    bool known = true;
    ((known = known && !Result<R>::schema().empty(),
      text += (text.size() > 1 ? ", " : "") + Result<R>::schema()),
     ...);
    return known ? text + ")" : "";
  }
};

constexpr uint64_t kFnvBasis = 0xcbf29ce484222325u;
constexpr uint64_t fnv(uint64_t hash, char letter) {
  return (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3u;
}
constexpr uint64_t fnv(uint64_t hash, const char* letters) {
  for (; *letters != 0; ++letters) hash = fnv(hash, *letters);
  return hash;
}
template <class R>
struct ReturnHash {
  static constexpr uint64_t add(uint64_t hash) { return fnv(hash, Result<R>::letters); }
};
template <class... R>
struct ReturnHash<std::tuple<R...>> {
  static constexpr uint64_t add(uint64_t hash) {
    ((hash = fnv(hash, Result<R>::letters)), ...);
    return hash;
  }
};

// Returns the hash of a C++ signature whose parameters are P..., without a leading KeySet.
template <class R, class... P>
constexpr uint64_t signature_hash() {
  uint64_t hash = kFnvBasis;
  ((hash = fnv(hash, Lowering<Parameter<P>>::letter)), ...);
  return ReturnHash<R>::add(fnv(hash, '>'));
}
static_assert(signature_hash<Tensor, const Tensor&>() == 0x6c62fe19e196c2e9u);
static_assert(signature_hash<Tensor, const Tensor&, const Tensor&, Scalar>() ==
              0x75248d31ac81c403u);

// Returns "(Tensor _0, int _1) -> Tensor", or "" if a C++ type does not determine its schema type.
template <class R, class... P>
std::string signature_schema() {
  std::string text = "(";
  bool known = true;
  size_t index = 0;
  [[maybe_unused]] const auto add = [&](const std::string& type) {
    known = known && !type.empty();
    if (index != 0) text += ", ";
    text += type + " _" + std::to_string(index++);
  };
  (add(schema_of(static_cast<Parameter<P>*>(nullptr))), ...);
  const std::string returns = Returns<R>::schema();
  return known && !returns.empty() ? text + ") -> " + returns : "";
}

// A call of `F` with parameters P..., which receives either boxed values or the C parameters of a
// typed call.
template <class F, bool kWithKeys, class R, class... P>
struct Adapter {
  static constexpr uint64_t hash = signature_hash<R, P...>();
  static constexpr bool takes_symbols = (detail::takes_symbols<Parameter<P>> || ...);
  static std::string schema() { return signature_schema<R, P...>(); }

  // ctx is the function pointer itself, or points to the functor.
  static decltype(auto) callable(void* ctx) {
    if constexpr (std::is_pointer_v<F>) {
      return reinterpret_cast<F>(ctx);
    } else {
      return *static_cast<F*>(ctx);
    }
  }

  template <class... A>
  static decltype(auto) invoke(void* ctx, tenon_keyset keys, A&&... arguments) {
    if constexpr (kWithKeys) {
      return callable(ctx)(KeySet(keys), static_cast<A&&>(arguments)...);
    } else {
      return callable(ctx)(static_cast<A&&>(arguments)...);
    }
  }

  // Converts a TensorRef to `const Tensor&`, or to `Tensor&` for a written argument.
  template <class Q, class A>
  static decltype(auto) pass(A& argument) {
    if constexpr (std::is_same_v<A, TensorRef>) {
      if constexpr (std::is_same_v<Q, Tensor&>) {
        return (argument.mutable_tensor());
      } else {
        return static_cast<const Tensor&>(argument);
      }
    } else {
      return static_cast<A&&>(argument);
    }
  }

  // --- boxed ---
  static tenon_status boxed(void* ctx, const tenon_op*, tenon_keyset keys, tenon_stack* stack) {
    return guarded(&stack->error, [&] {
      if (stack->nargs != sizeof...(P)) [[unlikely]] {
        throw Error(TENON_ERROR_TYPE, "kernel takes " + std::to_string(sizeof...(P)) +
                                          " arguments, got " + std::to_string(stack->nargs));
      }
      boxed_call(ctx, keys, stack, std::index_sequence_for<P...>());
    });
  }
  template <size_t... I>
  static void boxed_call(void* ctx, tenon_keyset keys, tenon_stack* stack,
                         std::index_sequence<I...>) {
    [[maybe_unused]] const tenon_value* args = stack->args;
    std::tuple<decltype(Lowering<Parameter<P>>::from_value(args[I], I))...> in{
        Lowering<Parameter<P>>::from_value(args[I], I)...};
    if constexpr (std::is_void_v<R>) {
      invoke(ctx, keys, pass<P>(std::get<I>(in))...);
    } else {
      box(invoke(ctx, keys, pass<P>(std::get<I>(in))...), stack->rets);
    }
  }
  template <class T>
  static void box(T&& result, tenon_value* rets) {
    if constexpr (requires { std::tuple_size<std::remove_cvref_t<R>>::value; }) {
      box_each(result, rets, std::make_index_sequence<std::tuple_size_v<R>>());
    } else {
      Result<R>::box(static_cast<T&&>(result), rets);
    }
  }
  template <class T, size_t... I>
  static void box_each(T& result, tenon_value* rets, std::index_sequence<I...>) {
    (Result<std::tuple_element_t<I, R>>::box(
         static_cast<std::tuple_element_t<I, R>&&>(std::get<I>(result)), &rets[I]),
     ...);
  }

  // --- typed ---
  using in_types = typename Concat<typename Lowering<Parameter<P>>::c_types...>::type;
  using out_types = typename Returns<R>::outs;

  static constexpr std::array<size_t, sizeof...(P) + 1> offsets() {
    std::array<size_t, sizeof...(P) + 1> result{};
    size_t i = 0;
    ((result[i + 1] = result[i] + SizeOf<typename Lowering<Parameter<P>>::c_types>::value, ++i),
     ...);
    return result;
  }

  template <class In, class Out>
  struct Typed;
  template <class... C, class... O>
  struct Typed<Types<C...>, Types<O...>> {
    using Fn = tenon_status (*)(const tenon_frame*, C..., O...);

    static tenon_status call(const tenon_frame* frame, C... in, O... outs) {
      try {
        const std::tuple<C...> packed(in...);
        run(frame, packed, std::tuple<O...>(outs...), std::index_sequence_for<P...>());
        return TENON_OK;
      } catch (abi::__forced_unwind&) {
        throw;
      } catch (...) {
        return tenon_error_set(current_error());
      }
    }

    template <size_t... I>
    static void run(const tenon_frame* frame, [[maybe_unused]] const std::tuple<C...>& packed,
                    const std::tuple<O...>& outs, std::index_sequence<I...>) {
      std::tuple<decltype(argument<I, P>(packed))...> arguments{argument<I, P>(packed)...};
      if constexpr (std::is_void_v<R>) {
        invoke(frame->ctx, frame->keys, pass<P>(std::get<I>(arguments))...);
      } else {
        write(invoke(frame->ctx, frame->keys, pass<P>(std::get<I>(arguments))...), outs);
      }
    }

    template <size_t kIndex, class Q>
    static decltype(auto) argument(const std::tuple<C...>& packed) {
      constexpr size_t at = offsets()[kIndex];
      if constexpr (SizeOf<typename Lowering<Parameter<Q>>::c_types>::value == 1) {
        return Lowering<Parameter<Q>>::from_c(std::get<at>(packed), kIndex);
      } else {
        return Lowering<Parameter<Q>>::from_c(std::get<at>(packed), std::get<at + 1>(packed),
                                              kIndex);
      }
    }

    template <class T>
    static void write(T&& result, const std::tuple<O...>& outs) {
      if constexpr (requires { std::tuple_size<std::remove_cvref_t<R>>::value; }) {
        write_each<0, 0>(result, outs);
      } else if constexpr (sizeof...(O) != 0) {
        Result<R>::write(static_cast<T&&>(result), std::get<0>(outs));
      }
    }
    template <size_t kIndex, size_t kOut, class T>
    static void write_each(T& result, const std::tuple<O...>& outs) {
      if constexpr (kIndex < std::tuple_size_v<R>) {
        using Element = std::tuple_element_t<kIndex, R>;
        constexpr size_t used = SizeOf<typename Result<Element>::outs>::value;
        if constexpr (used != 0) {
          Result<Element>::write(static_cast<Element&&>(std::get<kIndex>(result)),
                                 std::get<kOut>(outs));
        }
        write_each<kIndex + 1, kOut + used>(result, outs);
      }
    }
  };
  using TypedCall = Typed<in_types, out_types>;
};

// Splits off a leading KeySet parameter.
template <class F, class Signature>
struct AdapterFor;
template <class F, class R, class... P>
struct AdapterFor<F, R(P...)> {
  using type = Adapter<F, false, R, P...>;
};
template <class F, class R, class... P>
struct AdapterFor<F, R(KeySet, P...)> {
  using type = Adapter<F, true, R, P...>;
};

template <class F>
using AdapterOf = typename AdapterFor<F, typename CallableOf<F>::type>::type;

}  // namespace tenon::inline hpp::detail

#endif
