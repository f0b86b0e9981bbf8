// SPDX-License-Identifier: Apache-2.0
// Packing the arguments of typed calls, and handing results over.
#include "kernels/common/entry.h"

#include <string_view>

#include "kernels/common/check.h"

namespace tenon::kernels {
namespace {

template <class... C>
struct CTypes {};

// What a letter of a signature stands for: C parameters, and the value that they make.
template <char kLetter>
struct Letter;
template <>
struct Letter<'T'> {
  using Parameters = CTypes<tenon_tensor*>;
  using Out = tenon_tensor**;
  static tenon_value pack(tenon_tensor* tensor) {
    return tensor != nullptr ? tenon_value_of_tensor(tensor) : tenon_value_of_none();
  }
  static void write(const tenon_value& result, Out out) { *out = result.as.tensor; }
};
template <>
struct Letter<'i'> {
  using Parameters = CTypes<int64_t>;
  using Out = int64_t*;
  static tenon_value pack(int64_t number) { return tenon_value_of_int(number); }
  static void write(const tenon_value& result, Out out) { *out = result.as.i; }
};
template <>
struct Letter<'b'> {
  using Parameters = CTypes<int64_t>;
  using Out = int64_t*;
  static tenon_value pack(int64_t truth) { return tenon_value_of_bool(truth != 0); }
  static void write(const tenon_value& result, Out out) { *out = result.as.i; }
};
template <>
struct Letter<'d'> {
  using Parameters = CTypes<double>;
  using Out = double*;
  static tenon_value pack(double number) { return tenon_value_of_float(number); }
  static void write(const tenon_value& result, Out out) { *out = result.as.f; }
};
template <>
struct Letter<'I'> {
  using Parameters = CTypes<const int64_t*, int64_t>;
  static tenon_value pack(const int64_t* numbers, int64_t count) {
    return tenon_value_of_ints(numbers, static_cast<uint32_t>(count));
  }
};
template <>
struct Letter<'L'> {
  using Parameters = CTypes<tenon_tensor* const*, int64_t>;
  static tenon_value pack(tenon_tensor* const* tensors, int64_t count) {
    return tenon_value_of_tensors(tensors, static_cast<uint32_t>(count));
  }
};
template <>
struct Letter<'s'> {
  using Parameters = CTypes<const char*, int64_t>;
  static tenon_value pack(const char* text, int64_t size) {
    return tenon_value_of_string(text, static_cast<uint32_t>(size));
  }
};
template <>
struct Letter<'v'> {
  using Parameters = CTypes<const tenon_value*>;
  using Out = tenon_value*;
  static tenon_value pack(const tenon_value* value) { return *value; }
  static void write(const tenon_value& result, Out out) { *out = result; }
};

template <class... Lists>
struct Concat {
  using type = CTypes<>;
};
template <class... A, class... Rest>
struct Concat<CTypes<A...>, Rest...> {
  template <class List>
  struct Prepend;
  template <class... B>
  struct Prepend<CTypes<B...>> {
    using type = CTypes<A..., B...>;
  };
  using type = typename Prepend<typename Concat<Rest...>::type>::type;
};

// Takes one letter's parameters at a time off the front.
template <char... kLetters>
struct Pack {
  static void into(tenon_value*) {}
};
template <char kFirst, char... kRest>
struct Pack<kFirst, kRest...> {
  template <class... C>
  static void into(tenon_value* at, C... parameters) {
    take(typename Letter<kFirst>::Parameters(), at, parameters...);
  }
  template <class A, class... Rest>
  static void take(CTypes<A>, tenon_value* at, A a, Rest... rest) {
    *at = Letter<kFirst>::pack(a);
    Pack<kRest...>::into(at + 1, rest...);
  }
  template <class A, class B, class... Rest>
  static void take(CTypes<A, B>, tenon_value* at, A a, B b, Rest... rest) {
    *at = Letter<kFirst>::pack(a, b);
    Pack<kRest...>::into(at + 1, rest...);
  }
};

template <char... kLetters>
struct Letters {
  static constexpr int kCount = sizeof...(kLetters);
  using Parameters = typename Concat<typename Letter<kLetters>::Parameters...>::type;
  using Packing = Pack<kLetters...>;
};
template <char... kLetters>
struct OutLetters {
  static constexpr int kCount = sizeof...(kLetters);
  using Parameters = CTypes<typename Letter<kLetters>::Out...>;
  static void write(const tenon_value* results, typename Letter<kLetters>::Out... outs) {
    [[maybe_unused]] int k = 0;
    (Letter<kLetters>::write(results[k++], outs), ...);
  }
};

template <class In, class Out, class Parameters, class Outs>
struct Typed;
template <class In, class Out, class... C, class... O>
struct Typed<In, Out, CTypes<C...>, CTypes<O...>> {
  static tenon_status entry(const tenon_frame* frame, C... parameters, O... outs) {
    try {
      const auto& form = *static_cast<const OperatorForm*>(frame->ctx);
      tenon_value args[In::kCount + 1];
      In::Packing::into(args, parameters...);
      tenon_value results[Out::kCount + 1];
      form.facts->family->run(Call{form, args, results});
      Out::write(results, outs...);
      return TENON_OK;
    } catch (abi::__forced_unwind&) {
      throw;
    } catch (...) {
      return tenon_error_set(tenon::detail::current_error());
    }
  }
};

struct Entry {
  std::string_view signature;
  tenon_typed_fn function;
};

// From the text of a signature to its entry.
template <size_t kSize>
struct Text {
  char letters[kSize];
  constexpr Text(const char (&text)[kSize]) {
    for (size_t i = 0; i < kSize; ++i) letters[i] = text[i];
  }
  constexpr std::string_view view() const { return {letters, kSize - 1}; }
};
template <Text kText, size_t... kIn, size_t... kOut>
Entry entry_of(std::index_sequence<kIn...>, std::index_sequence<kOut...>) {
  using In = Letters<kText.letters[kIn]...>;
  using Out = OutLetters<kText.letters[sizeof...(kIn) + 1 + kOut]...>;
  using Function = Typed<In, Out, typename In::Parameters, typename Out::Parameters>;
  return {kText.view(), reinterpret_cast<tenon_typed_fn>(&Function::entry)};
}
template <Text kText>
Entry entry_of() {
  constexpr size_t kArrow = kText.view().find('>');
  return entry_of<kText>(std::make_index_sequence<kArrow>(),
                         std::make_index_sequence<kText.view().size() - kArrow - 1>());
}

}  // namespace

tenon_status boxed_entry(void* ctx, const tenon_op*, tenon_keyset, tenon_stack* stack) {
  return tenon::detail::guarded(&stack->error, [&] {
    const auto& form = *static_cast<const OperatorForm*>(ctx);
    if (stack->nargs != static_cast<uint32_t>(form.arguments)) [[unlikely]] {
      fail(TENON_ERROR_TYPE,
           {form.name, ": arguments must be ", form.arguments, " in number, got ", stack->nargs});
    }
    const Call call{form, stack->args, stack->rets};
    form.facts->family->run(call);
    if (!form.is_functional()) {
      for (int k = 0; k < form.results; ++k) call.give(k, Tensor::retain(call.written(k)));
    }
  });
}

tenon_typed_fn typed_entry(const char* op, const char* signature) {
  static const Entry kEntries[] = {
      // pointwise
      entry_of<"T>T">(),
      entry_of<"T>">(),
      entry_of<"TT>">(),
      entry_of<"TT>T">(),
      entry_of<"TTT>">(),
      entry_of<"TTv>T">(),
      entry_of<"TTv>">(),
      entry_of<"TTvT>">(),
      entry_of<"TTT>T">(),
      entry_of<"TTTT>">(),
      entry_of<"Tv>">(),
      entry_of<"Tvv>T">(),
      entry_of<"Tvv>">(),
      // folds
      entry_of<"Tvbv>T">(),
      entry_of<"TvbvT>">(),
      entry_of<"TIbT>">(),
      entry_of<"Tvb>T">(),
      entry_of<"TvbT>">(),
      entry_of<"Tib>TT">(),
      entry_of<"TibTT>">(),
      // views
      entry_of<"Ti>T">(),
      entry_of<"Tii>T">(),
      entry_of<"TI>T">(),
      entry_of<"TIb>T">(),
      entry_of<"TII>T">(),
      entry_of<"TIIv>T">(),
      entry_of<"Tivvi>T">(),
      // factories
      entry_of<"Ivvvv>T">(),
      entry_of<"IT>">(),
      entry_of<"Ivvvvv>T">(),
      entry_of<"IvT>">(),
      entry_of<"Tvvvvv>T">(),
      entry_of<"TvT>">(),
      entry_of<"Tvvvvvv>T">(),
      entry_of<"TvvT>">(),
      entry_of<"IIvvvv>T">(),
      entry_of<"IIT>">(),
      entry_of<"vvvvv>T">(),
      entry_of<"vT>">(),
      entry_of<"vvvvvv>T">(),
      entry_of<"vvvvvvv>T">(),
      entry_of<"vvvT>">(),
      // fillers
      entry_of<"Tv>">(),
      entry_of<"Tddv>">(),
      // products and indices
      entry_of<"Li>T">(),
      entry_of<"LiT>">(),
      // copies
      entry_of<"TTb>">(),
      entry_of<"TTb>T">(),
      entry_of<"TTbT>">(),
      entry_of<"Tv>T">(),
      entry_of<"Tvvvvbv>T">(),
      entry_of<"TbvT>">(),
      entry_of<"Tvibbv>T">(),
      entry_of<"Tibbv>T">(),
      entry_of<"T>v">(),
  };
  for (const Entry& entry : kEntries) {
    if (entry.signature == signature) return entry.function;
  }
  fail(TENON_ERROR_INTERNAL,
       {op, ": signature must be one that kernels/common/entry.cpp lists, got ", signature});
}

void Call::refuse_tag(int k) const {
  fail(TENON_ERROR_TYPE,
       {op(), ": ", form.names[k], " must be Tensor, got ", tenon_tag_name(args[k].tag)});
}

}  // namespace tenon::kernels
