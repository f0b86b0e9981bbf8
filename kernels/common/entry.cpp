// SPDX-License-Identifier: Apache-2.0
// Packing the arguments of typed calls into values, and returning their results.
// Long file: one table row for each C signature.
#include "kernels/common/entry.h"

#include <string_view>

#include "kernels/common/check.h"

namespace tenon::kernels {
namespace {

template <class... C>
struct CTypes {};

// Writes the head of a value in place, as one word. If a value were built elsewhere field by field
// and then copied, the copy would load it while its fields are still in the store buffer. Store
// forwarding then fails, and the stall takes longer than the call.
inline void put_head(tenon_value* at, uint16_t tag, int64_t count = 0) {
  at->tag = tag;
  at->flags = 0;
  at->count = static_cast<uint32_t>(count);
}

// A letter of a signature: its C parameters, and the value that they are packed into.
template <char kLetter>
struct Letter;
template <>
struct Letter<'T'> {
  using Parameters = CTypes<tenon_tensor*>;
  using Out = tenon_tensor**;
  static void pack(tenon_value* at, tenon_tensor* tensor) {
    put_head(at, tensor != nullptr ? TENON_TAG_TENSOR : TENON_TAG_NONE);
    at->as.tensor = tensor;
  }
  static void write(const tenon_value& result, Out out) { *out = result.as.tensor; }
};
template <uint16_t kTag>
struct NumberLetter {
  using Parameters = CTypes<int64_t>;
  using Out = int64_t*;
  static void pack(tenon_value* at, int64_t number) {
    put_head(at, kTag);
    at->as.i = kTag == TENON_TAG_BOOL ? number != 0 : number;
  }
  static void write(const tenon_value& result, Out out) { *out = result.as.i; }
};
template <>
struct Letter<'i'> : NumberLetter<TENON_TAG_INT> {};
template <>
struct Letter<'b'> : NumberLetter<TENON_TAG_BOOL> {};
template <>
struct Letter<'d'> {
  using Parameters = CTypes<double>;
  using Out = double*;
  static void pack(tenon_value* at, double number) {
    put_head(at, TENON_TAG_FLOAT);
    at->as.f = number;
  }
  static void write(const tenon_value& result, Out out) { *out = result.as.f; }
};
// A list: an address and a count.
template <class Element, uint16_t kTag>
struct ListLetter {
  using Parameters = CTypes<Element, int64_t>;
  static void pack(tenon_value* at, Element elements, int64_t count) {
    put_head(at, kTag, count);
    at->as.list = {elements, nullptr};
  }
};
template <>
struct Letter<'I'> : ListLetter<const int64_t*, TENON_TAG_INT_LIST> {};
template <>
struct Letter<'B'> : ListLetter<const uint8_t*, TENON_TAG_BOOL_LIST> {};
template <>
struct Letter<'L'> : ListLetter<tenon_tensor* const*, TENON_TAG_TENSOR_LIST> {};
template <>
struct Letter<'s'> : ListLetter<const char*, TENON_TAG_STRING> {};
template <>
struct Letter<'v'> {
  using Parameters = CTypes<const tenon_value*>;
  using Out = tenon_value*;
  static void pack(tenon_value* at, const tenon_value* value) { *at = *value; }
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

// Packs the parameters of one letter at a time.
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
    Letter<kFirst>::pack(at, a);
    Pack<kRest...>::into(at + 1, rest...);
  }
  template <class A, class B, class... Rest>
  static void take(CTypes<A, B>, tenon_value* at, A a, B b, Rest... rest) {
    Letter<kFirst>::pack(at, a, b);
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

struct TypedEntry {
  std::string_view signature;
  tenon_typed_fn function;
};

// Makes the table row of a signature from its text.
template <size_t kSize>
struct Text {
  char letters[kSize];
  constexpr Text(const char (&text)[kSize]) {
    for (size_t i = 0; i < kSize; ++i) letters[i] = text[i];
  }
  constexpr std::string_view view() const { return {letters, kSize - 1}; }
};
template <Text kText, size_t... kIn, size_t... kOut>
TypedEntry entry_of(std::index_sequence<kIn...>, std::index_sequence<kOut...>) {
  using In = Letters<kText.letters[kIn]...>;
  using Out = OutLetters<kText.letters[sizeof...(kIn) + 1 + kOut]...>;
  using Function = Typed<In, Out, typename In::Parameters, typename Out::Parameters>;
  return {kText.view(), reinterpret_cast<tenon_typed_fn>(&Function::entry)};
}
template <Text kText>
TypedEntry entry_of() {
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
           {form.name, ": number of arguments must be ", form.arguments, ", got ", stack->nargs});
    }
    const Call call{form, stack->args, stack->rets};
    form.facts->family->run(call);
    if (!form.is_functional()) {
      for (int k = 0; k < form.results; ++k) call.give(k, Tensor::retain(call.written(k)));
    }
  });
}

tenon_typed_fn typed_entry(const char* op, const char* signature) {
  const TypedEntry entries[] = {
      // pointwise
      entry_of<"T>T">(),
      entry_of<"T>">(),
      entry_of<"TT>">(),
      entry_of<"TT>T">(),
      entry_of<"TT>b">(),
      entry_of<"TTddb>T">(),
      entry_of<"TTddb>b">(),
      entry_of<"TTT>">(),
      entry_of<"TTv>T">(),
      entry_of<"TTv>">(),
      entry_of<"TTvT>">(),
      entry_of<"TTT>T">(),
      entry_of<"TTTT>">(),
      entry_of<"TTTTT>T">(),
      entry_of<"TTTv>T">(),
      entry_of<"TTTv>">(),
      entry_of<"TTTvT>">(),
      entry_of<"TTTvv>T">(),
      entry_of<"TTTvv>">(),
      entry_of<"TTTvvT>">(),
      entry_of<"T>TT">(),
      entry_of<"TTTTTT>TT">(),
      entry_of<"TTTTTTTT>">(),
      entry_of<"Tv>">(),
      entry_of<"Tvv>T">(),
      entry_of<"Tvv>">(),
      entry_of<"TvT>T">(),
      entry_of<"Tvvv>T">(),
      entry_of<"Tvvv>">(),
      entry_of<"TvvvT>">(),
      // folds
      entry_of<"Tvbv>T">(),
      entry_of<"TvbvT>">(),
      entry_of<"TIbT>">(),
      entry_of<"Tvb>T">(),
      entry_of<"TvbT>">(),
      entry_of<"TibT>">(),
      entry_of<"Tibv>T">(),
      entry_of<"TibvT>">(),
      entry_of<"Tib>TT">(),
      entry_of<"TibTT>">(),
      // views
      entry_of<"Ti>T">(),
      entry_of<"Tii>T">(),
      entry_of<"Tiii>T">(),
      entry_of<"TI>T">(),
      entry_of<"TIb>T">(),
      entry_of<"TII>T">(),
      entry_of<"TIIv>T">(),
      entry_of<"TIIiIIi>T">(),
      entry_of<"Tivvi>T">(),
      entry_of<"Tiv>T">(),
      entry_of<"TivT>">(),
      entry_of<"TIT>">(),
      entry_of<"TIIv>">(),
      entry_of<"TIIvT>">(),
      entry_of<"TiiT>">(),
      entry_of<"TivviT>">(),
      entry_of<"Ti>">(),
      entry_of<"TI>">(),
      entry_of<"TiT>">(),
      entry_of<"Tii>">(),
      entry_of<"Ti>v">(),
      entry_of<"Tii>v">(),
      entry_of<"TIi>v">(),
      // gradients
      entry_of<"TIii>T">(),
      entry_of<"TIiiT>">(),
      entry_of<"TIiiii>T">(),
      entry_of<"TIiiiiT>">(),
      entry_of<"TiTIb>T">(),
      entry_of<"Tvi>v">(),
      // images, layers and losses
      entry_of<"TI>TT">(),
      entry_of<"TIIIbb>T">(),
      entry_of<"TIIIbbT>">(),
      entry_of<"TIIIbbv>T">(),
      entry_of<"TIIIbbvT>">(),
      entry_of<"TIIbv>T">(),
      entry_of<"TIIbvT>">(),
      entry_of<"TIIbvv>T">(),
      entry_of<"TIIbvvT>">(),
      entry_of<"TIIbvvv>T">(),
      entry_of<"TIIbvvvT>">(),
      entry_of<"TIIvv>T">(),
      entry_of<"TIIvvT>">(),
      entry_of<"TIIvvv>T">(),
      entry_of<"TIIvvvT>">(),
      entry_of<"TITIIIbi>T">(),
      entry_of<"TITT>">(),
      entry_of<"TITTd>TTT">(),
      entry_of<"TIbv>T">(),
      entry_of<"TIbvT>">(),
      entry_of<"TIbvv>T">(),
      entry_of<"TIbvvT>">(),
      entry_of<"TIbvvv>T">(),
      entry_of<"TIbvvvT>">(),
      entry_of<"TIsv>T">(),
      entry_of<"TIv>T">(),
      entry_of<"TIvv>T">(),
      entry_of<"TIvvT>">(),
      entry_of<"TIvvv>T">(),
      entry_of<"TIvvvT>">(),
      entry_of<"TLLbidbbb>TTT">(),
      entry_of<"TLTTTT>TT">(),
      entry_of<"TTIIIIbi>T">(),
      entry_of<"TTIIIbbv>T">(),
      entry_of<"TTIIIbbvT>">(),
      entry_of<"TTIT>">(),
      entry_of<"TTLbidbbb>TT">(),
      entry_of<"TTTIIIbIi>T">(),
      entry_of<"TTTIIIbIiT>">(),
      entry_of<"TTTIIIiI>T">(),
      entry_of<"TTTIsIi>T">(),
      entry_of<"TTTT>T">(),
      entry_of<"TTTTTT>T">(),
      entry_of<"TTTTTbdd>TTT">(),
      entry_of<"TTTTTbddb>T">(),
      entry_of<"TTTTiT>">(),
      entry_of<"TTTdddbi>T">(),
      entry_of<"TTTdi>T">(),
      entry_of<"TTTi>T">(),
      entry_of<"TTTiT>">(),
      entry_of<"TTTii>T">(),
      entry_of<"TTTiid>T">(),
      entry_of<"TTTiiiid>TTT">(),
      entry_of<"TTTvIIIbIiB>TTT">(),
      entry_of<"TTbbdi>T">(),
      entry_of<"TTdi>T">(),
      entry_of<"TTib>T">(),
      entry_of<"Tdb>">(),
      entry_of<"Tdb>T">(),
      entry_of<"Tdv>TT">(),
      // operators on a number and a tensor
      entry_of<"vT>T">(),
      entry_of<"vTT>">(),
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
      entry_of<"Tdv>T">(),
      entry_of<"TdvT>">(),
      entry_of<"dTv>T">(),
      entry_of<"dTvT>">(),
      entry_of<"ddIvvvvv>T">(),
      entry_of<"ddIvT>">(),
      entry_of<"TddvT>">(),
      entry_of<"Tddv>T">(),
      // products and indices
      entry_of<"Li>T">(),
      entry_of<"LiT>">(),
      entry_of<"TTi>T">(),
      entry_of<"TTiT>">(),
      entry_of<"TL>T">(),
      entry_of<"TLT>">(),
      entry_of<"TLTb>T">(),
      entry_of<"TLTb>">(),
      entry_of<"TLTbT>">(),
      entry_of<"TIL>T">(),
      entry_of<"TLb>T">(),
      entry_of<"TIIII>T">(),
      entry_of<"TIIIIT>">(),
      entry_of<"TIIIII>T">(),
      entry_of<"TIIIIIT>">(),
      entry_of<"TTTIIIi>T">(),
      entry_of<"TIIIIb>TT">(),
      entry_of<"TIIIIbTT>">(),
      entry_of<"TIIIIb>T">(),
      entry_of<"TTIIIIbT>T">(),
      entry_of<"TTIIIIbTT>">(),
      entry_of<"TTvvi>T">(),
      entry_of<"TTTTi>T">(),
      entry_of<"Tiv>">(),
      entry_of<"TIIT>">(),
      entry_of<"Tvib>TT">(),
      entry_of<"TvibTT>">(),
      entry_of<"Tib>T">(),
      entry_of<"Tbib>T">(),
      entry_of<"TbibT>">(),
      entry_of<"Tiibb>TT">(),
      entry_of<"TiibbTT>">(),
      entry_of<"TiTb>T">(),
      entry_of<"TiTbT>">(),
      entry_of<"TIiT>T">(),
      entry_of<"TiTT>T">(),
      entry_of<"TiTT>">(),
      entry_of<"TiTTT>">(),
      entry_of<"TiTv>T">(),
      entry_of<"TiTv>">(),
      entry_of<"TiTvT>">(),
      entry_of<"TiT>T">(),
      entry_of<"TiTTv>T">(),
      entry_of<"TiTTv>">(),
      entry_of<"TiTTvT>">(),
      entry_of<"TIT>T">(),
      entry_of<"TTI>T">(),
      entry_of<"TTibb>T">(),
      entry_of<"TTibbT>">(),
      entry_of<"TTiib>T">(),
      entry_of<"TTiibT>">(),
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
      entry_of<"Tvvvvbbv>T">(),
      entry_of<"TTbbv>T">(),
      entry_of<"L>T">(),
      entry_of<"L>v">(),
      entry_of<"LT>">(),
      entry_of<"TIIvvvv>T">(),
      entry_of<"TIiii>T">(),
      entry_of<"TIiiiT>">(),
      entry_of<"TIvT>">(),
      entry_of<"TIvvvv>T">(),
      entry_of<"TIvvvvv>T">(),
      entry_of<"TT>i">(),
      entry_of<"TTTTdbvb>T">(),
      entry_of<"TTbb>T">(),
      entry_of<"TTbbT>">(),
      entry_of<"TTbbvT>T">(),
      entry_of<"TTbbvTT>">(),
      entry_of<"TITTdb>T">(),
      entry_of<"TTITd>T">(),
      entry_of<"TId>T">(),
      entry_of<"TITv>T">(),
      entry_of<"TTid>T">(),
      entry_of<"TTidT>">(),
      entry_of<"TTidvvvv>T">(),
      entry_of<"TTii>T">(),
      entry_of<"TTiiT>">(),
      entry_of<"TTiii>T">(),
      entry_of<"TTiiiT>">(),
      entry_of<"TTivvi>T">(),
      entry_of<"TTivviT>">(),
      entry_of<"TTivvvv>T">(),
      entry_of<"TTs>T">(),
      entry_of<"TTsT>">(),
      entry_of<"TTvb>T">(),
      entry_of<"TTvbT>">(),
      entry_of<"TTvv>T">(),
      entry_of<"TTvvT>">(),
      entry_of<"TTvvb>T">(),
      entry_of<"TTvvv>T">(),
      entry_of<"Tb>T">(),
      entry_of<"Tb>TT">(),
      entry_of<"TiI>T">(),
      entry_of<"TiTTdb>T">(),
      entry_of<"TiIT>">(),
      entry_of<"TiiiT>">(),
      entry_of<"TiivT>">(),
      entry_of<"Tiivvvvv>T">(),
      entry_of<"Tivv>">(),
      entry_of<"Tivv>T">(),
      entry_of<"TivvT>">(),
      entry_of<"Tivvvvv>T">(),
      entry_of<"Ts>">(),
      entry_of<"Ts>T">(),
      entry_of<"TsT>">(),
      entry_of<"Tv>i">(),
      entry_of<"Tvbb>T">(),
      entry_of<"Tvbb>TT">(),
      entry_of<"TvbbT>">(),
      entry_of<"TvbbvT>T">(),
      entry_of<"TvbbvTT>">(),
      entry_of<"TviT>">(),
      entry_of<"TvidT>">(),
      entry_of<"Tvidvvvv>T">(),
      entry_of<"Tvivvvv>T">(),
      entry_of<"Tvvb>T">(),
      entry_of<"Tvvb>TT">(),
      entry_of<"TvvbT>">(),
      entry_of<"TvvbTT>">(),
      entry_of<"iIT>">(),
      entry_of<"iIvT>">(),
      entry_of<"iIvvvv>T">(),
      entry_of<"iIvvvvv>T">(),
      entry_of<"ii>b">(),
      entry_of<"ii>i">(),
      entry_of<"iiIT>">(),
      entry_of<"iiIvT>">(),
      entry_of<"iiIvvvv>T">(),
      entry_of<"iiIvvvvv>T">(),
      entry_of<"vT>i">(),
      entry_of<"vTbb>T">(),
      entry_of<"vTbbT>">(),
      entry_of<"vTiT>">(),
      entry_of<"vTidT>">(),
      entry_of<"vTidvvvv>T">(),
      entry_of<"vTivvvv>T">(),
      entry_of<"vv>i">(),
      entry_of<"vviT>">(),
      entry_of<"vvidT>">(),
      entry_of<"vvidvvvv>T">(),
      entry_of<"vvivvvv>T">(),
      // products, searching and linear algebra
      entry_of<"Ls>v">(),
      entry_of<"TTII>T">(),
      entry_of<"TTIIT>">(),
      entry_of<"TTTb>TT">(),
      entry_of<"TTTbTT>">(),
      entry_of<"TTTi>T">(),
      entry_of<"TTiT>T">(),
      entry_of<"TTvTvb>T">(),
      entry_of<"TTvbs>T">(),
      entry_of<"TTvbsT>">(),
      entry_of<"Tbbb>TTT">(),
      entry_of<"TbbbTTT>">(),
      entry_of<"Tbbv>TTT">(),
      entry_of<"TbbvTTT>">(),
      entry_of<"Tdi>T">(),
      entry_of<"Tdvbs>T">(),
      entry_of<"TdvbsT>">(),
      entry_of<"Ti>TT">(),
      entry_of<"Tibbb>TTT">(),
      entry_of<"TibbbTTT>">(),
      entry_of<"TiiTT>T">(),
      entry_of<"TiiTTT>">(),
      entry_of<"Tiib>TT">(),
      entry_of<"TiibTT>">(),
      entry_of<"TivTb>TT">(),
      entry_of<"TivTbTT>">(),
      entry_of<"TvIb>T">(),
      entry_of<"TvIbT>">(),
      entry_of<"TvIbi>T">(),
      entry_of<"TvIbiT>">(),
      entry_of<"Tvb>TT">(),
      entry_of<"TvbTT>">(),
      entry_of<"Tvi>T">(),
      entry_of<"Tvvbv>T">(),
      entry_of<"TvvbvT>">(),
      entry_of<"iT>">(),
      entry_of<"iT>T">(),
      entry_of<"iTT>">(),
      entry_of<"iiT>">(),
      entry_of<"iivvvv>T">(),
      entry_of<"ivvvv>T">(),
      entry_of<"sLv>T">(),
      entry_of<"L>">(),
      entry_of<"LL>">(),
      entry_of<"LL>v">(),
      entry_of<"LLL>">(),
      entry_of<"LLL>v">(),
      entry_of<"LLLL>">(),
      entry_of<"LLLT>">(),
      entry_of<"LLLT>v">(),
      entry_of<"LLLTL>">(),
      entry_of<"LLLv>">(),
      entry_of<"LLLv>v">(),
      entry_of<"LLLvL>">(),
      entry_of<"LLb>">(),
      entry_of<"LLb>v">(),
      entry_of<"LLbL>">(),
      entry_of<"LLv>">(),
      entry_of<"LLv>v">(),
      entry_of<"LLvL>">(),
      entry_of<"LT>v">(),
      entry_of<"LTL>">(),
      entry_of<"LTv>">(),
      entry_of<"LTv>v">(),
      entry_of<"LTvL>">(),
      entry_of<"Lv>">(),
      entry_of<"Lv>v">(),
      entry_of<"LvL>">(),
      entry_of<"Lvv>v">(),
      entry_of<"LvvL>">(),
      entry_of<"vL>v">(),
      entry_of<"T>TTT">(),
      entry_of<"T>TTTT">(),
      entry_of<"TTTT>T">(),
      entry_of<"TTTTT>">(),
      entry_of<"TTTTTTbb>T">(),
      entry_of<"TTTTb>T">(),
      entry_of<"TTTTs>T">(),
      entry_of<"TTTb>T">(),
      entry_of<"TTTbT>">(),
      entry_of<"TTTbbb>T">(),
      entry_of<"TTbb>TT">(),
      entry_of<"TTbb>TTTT">(),
      entry_of<"TTbbTT>">(),
      entry_of<"TTbbTTTT>">(),
      entry_of<"TTbbb>T">(),
      entry_of<"TTbbbT>">(),
      entry_of<"TTvv>TTTT">(),
      entry_of<"TTvvTTTT>">(),
      entry_of<"TbT>">(),
      entry_of<"TbTT>">(),
      entry_of<"Tbb>TT">(),
      entry_of<"Tbb>TTT">(),
      entry_of<"TbbTT>">(),
      entry_of<"TbbTTT>">(),
      entry_of<"Tbv>TTT">(),
      entry_of<"TbvTTT>">(),
      entry_of<"Td>T">(),
      entry_of<"Tdb>T">(),
      entry_of<"TdbT>">(),
      entry_of<"Ts>TT">(),
      entry_of<"TsIbv>T">(),
      entry_of<"TsIbvT>">(),
      entry_of<"TsTT>">(),
      entry_of<"Tsb>TT">(),
      entry_of<"TsbTT>">(),
      entry_of<"Tsvbv>T">(),
      entry_of<"TsvbvT>">(),
      entry_of<"TvIbv>T">(),
      entry_of<"TvIbvT>">(),
      entry_of<"LLLLLLTddddbbTT>">(),
      entry_of<"LLLLLLdddddbbTT>">(),
      entry_of<"LLLddTdbbbTT>">(),
      entry_of<"LLLddddbbbTT>">(),
      entry_of<"TIi>T">(),
      entry_of<"TIib>T">(),
      entry_of<"TIibI>T">(),
      entry_of<"TIibT>">(),
      entry_of<"TvIv>T">(),
      entry_of<"TvIvT>">(),
      entry_of<"Tviv>T">(),
      entry_of<"TvivT>">(),
      entry_of<"idT>">(),
      entry_of<"idvvvv>T">(),
      entry_of<"Tdv>">(),
      entry_of<"ivT>">(),
      entry_of<"ivvvvv>T">(),
      entry_of<"TTTdT>T">(),
      entry_of<"TTTdTT>">(),
      entry_of<"TTdv>T">(),
      entry_of<"TTdvT>">(),
      entry_of<"TTTbibTbi>TTTT">(),
      entry_of<"TTTbibTbiTTTT>">(),
      entry_of<"TTTTTTibibTi>T">(),
      entry_of<"TTTTTibiTi>T">(),
      entry_of<"TTTTTibiTiT>">(),
      entry_of<"TTTTTii>T">(),
      entry_of<"TTTTTiiT>">(),
      entry_of<"TTdT>T">(),
      entry_of<"TTdTT>">(),
      entry_of<"TdT>">(),
      entry_of<"TTTbibTb>TTTT">(),
      entry_of<"TTTbibTbv>TTTT">(),
      entry_of<"TiTTsb>T">(),
      entry_of<"TiTTsbT>">(),
      entry_of<"TiTTsb>">(),
      entry_of<"TTvvTi>T">(),
      entry_of<"TTvvTiT>">(),
      entry_of<"TTTiiT>">(),
      entry_of<"TTTTiiT>T">(),
      entry_of<"TTTTiiTT>">(),
      entry_of<"TTTii>TT">(),
      entry_of<"TTTiiTT>">(),
      entry_of<"TTTb>">(),
      entry_of<"Tviv>">(),
      entry_of<"TiTTs>T">(),
      entry_of<"TiTTsT>">(),
      entry_of<"TiTvs>T">(),
      entry_of<"TiTvsT>">(),
      entry_of<"TiTTs>">(),
      entry_of<"TiTvs>">(),
      entry_of<"iiivvvv>T">(),
      entry_of<"iiiT>">(),
      entry_of<"TTiTTsbT>T">(),
      entry_of<"ibvvvv>T">(),
      entry_of<"ibT>">(),
      entry_of<"ibdvvvv>T">(),
      entry_of<"ibdT>">(),
      entry_of<"ibddvvvv>T">(),
      entry_of<"ibddT>">(),
      entry_of<"TTTiibB>TT">(),
      entry_of<"TTTiibBTT>">(),
      entry_of<"TivvTbvvv>T">(),
      entry_of<"TivvTbsbvvv>T">(),
      entry_of<"TivvTbbvvb>T">(),
      entry_of<"TTIiibii>T">(),
      entry_of<"TTTiibii>T">(),
      entry_of<"TTiibii>T">(),
      entry_of<"TTTbb>T">(),
      entry_of<"TTTbbT>">(),
      entry_of<"TTTTbbi>T">(),
      entry_of<"TTTTbb>T">(),
      entry_of<"TTTTv>T">(),
      entry_of<"TTIII>T">(),
      entry_of<"TTIIIT>">(),
      entry_of<"TTIiibiii>T">(),
      entry_of<"TTTiibiii>T">(),
      entry_of<"TTiibiii>T">(),
      entry_of<"TTvvbv>TT">(),
      entry_of<"TTvvbv>T">(),
      entry_of<"TTvvbvT>">(),
      entry_of<"TTvvbv>">(),
      entry_of<"Tvvbv>">(),
      entry_of<"TTTvvbb>T">(),
      entry_of<"TTTvvbbT>">(),
      entry_of<"TTIIib>TT">(),
      entry_of<"TTIIibTT>">(),
      entry_of<"TTTTib>TT">(),
      entry_of<"TTTTibTT>">(),
      entry_of<"TTTIITTib>T">(),
      entry_of<"TTTIITTibT>">(),
      entry_of<"TTTTTTTib>T">(),
      entry_of<"TTIIiib>T">(),
      entry_of<"TTTTiib>T">(),
      entry_of<"TsTTTibv>T">(),
      entry_of<"TsTTTibvT>">(),
      entry_of<"TTTsTTiv>T">(),
      entry_of<"TTTsTTivT>">(),
  };
  for (const TypedEntry& entry : entries) {
    if (entry.signature == signature) return entry.function;
  }
  fail(TENON_ERROR_INTERNAL,
       {op, ": signature must be one that kernels/common/entry.cpp lists, got ", signature});
}

}  // namespace tenon::kernels
