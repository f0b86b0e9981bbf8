// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes as C++ programs use them: numbers, guards with their place, tensors, kernels.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <tenon/ops/aten.hpp>
#include <tenon/tenon.hpp>

namespace {

using namespace tenon;
namespace aten = tenon::ops::aten;

std::string sizes_of(const Tensor& tensor) {
  std::string text;
  for (const SymInt& size : tensor.sym_sizes()) text += (text.empty() ? "" : ", ") + size.str();
  return text;
}

template <class F>
std::string message_of(tenon_status code, const F& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(SymInt, NumberBelowAllWords_IsRefusedBesideSymbols) {
  const ShapeEnv env;
  const SymInt size = env.new_size(4);
  for (const int64_t number : {INT64_MIN, INT64_MIN + 1, -(int64_t{1} << 62) - 1}) {
    message_of(TENON_ERROR_INVALID_ARGUMENT, [&] { static_cast<void>(size + number); });
    message_of(TENON_ERROR_INVALID_ARGUMENT, [&] { sym_list({size, number}); });
    message_of(TENON_ERROR_INVALID_ARGUMENT, [&] { empty_symbolic({number}); });
    EXPECT_EQ(sym_list({number}).ints()[0], number);
    EXPECT_EQ((SymInt(number) + 1).maybe_as_int(), number + 1);
  }
  message_of(TENON_ERROR_DATA_DEPENDENT, [&] { sym_list({size, 3}).ints(); });
}

TEST(SymInt, Calculated_StaysSymbolic) {
  const ShapeEnv env;
  const SymInt a = env.new_size(4), b = env.new_size(5);
  EXPECT_EQ((a * b + 1).str(), "s0*s1 + 1");
  EXPECT_EQ((3 - a).str(), "-s0 + 3");
  EXPECT_EQ((a / 3).str(), "s0 // 3");
  EXPECT_EQ((a % 3).str(), "s0 % 3");
  EXPECT_EQ((-a).str(), "-s0");
  EXPECT_EQ(a.max(b).str(), "max(s0, s1)");
  EXPECT_EQ(a.truediv(2).str(), "s0 / 2");
  EXPECT_EQ(a.sqrt().str(), "sqrt(s0)");
  EXPECT_EQ((a.sym_float() * 2).str(), "float(s0) * 2");
  EXPECT_EQ((a.sym_lt(b) | ~a.sym_eq(2)).str(), "(s0 < s1) or (not (s0 == 2))");
  EXPECT_EQ((a * 2).hint(), 8);
  EXPECT_TRUE(env.guards().empty());
}

TEST(SymInt, OfANumber_IsOne) {
  const SymInt seven = 7;
  EXPECT_FALSE(seven.is_symbolic());
  EXPECT_EQ((seven * 2 - 1).maybe_as_int(), 13);
  EXPECT_EQ((SymInt(-7) / 2).maybe_as_int(), -4);
  EXPECT_EQ((SymInt(-7) % 2).maybe_as_int(), 1);
  EXPECT_EQ(ShapeEnv().new_size(1).maybe_as_int(), 1);
  EXPECT_EQ(seven.bounds(), (std::pair<int64_t, int64_t>(7, 7)));
}

TEST(SymInt, EqualExpressions_AreOneSymbol) {
  const ShapeEnv env;
  const SymInt a = env.new_size(4), b = env.new_size(5);
  EXPECT_EQ((a + b).symbol(), (b + a).symbol());
  EXPECT_EQ(SymInt::of_word((a + b).word()).symbol(), (a + b).symbol());
}

TEST(SymInt, Compared_RecordsAGuardWithItsPlace) {
  const ShapeEnv env;
  const SymInt a = env.new_size(4);
  const int line = __LINE__ + 1;
  const bool is_small = a < 10;
  EXPECT_TRUE(is_small);
  const std::vector<ShapeGuard> guards = env.guards();
  ASSERT_EQ(guards.size(), 1u);
  EXPECT_EQ(guards[0].text, "s0 < 10");
  EXPECT_EQ(guards[0].file, __FILE__);
  EXPECT_EQ(guards[0].line, line);
  EXPECT_EQ(guards[0].op, "");
}

TEST(SymInt, ComparedWithNumbersOnEitherSide_Decides) {
  const ShapeEnv env;
  const SymInt a = env.new_size(4), b = env.new_size(5);
  EXPECT_TRUE(a != b && a < b && b > a && a <= b && b >= a && !(a == b));
  EXPECT_TRUE(4 == a && a == 4 && 3 < a && 4 <= a && 5 > a && 4 >= a && 5 != a);
}

TEST(SymInt, MadeANumber_StaysOne) {
  const ShapeEnv env;
  const SymInt a = env.new_size(4);
  EXPECT_EQ(a.guard_int(), 4);
  EXPECT_EQ(a.str(), "4");
  EXPECT_EQ(env.guards()[0].text, "s0 == 4");
}

TEST(ShapeEnv, OtherNumbers_TellTheFirstFailure) {
  // [quote.begin guards]
  const ShapeEnv env;
  const SymInt batch = env.new_size(4);
  const Tensor x = empty_symbolic({batch, 3});
  const Tensor y = aten::view(aten::cat({x, x}), {-1});
  EXPECT_EQ(y.sym_size(0).str(), "6*s0");
  EXPECT_TRUE(x.sym_size(0) < 10);  // decided by the hint: a guard
  EXPECT_FALSE(env.first_failure({{batch, 7}}));
  EXPECT_EQ(env.first_failure({{batch, 12}})->substr(0, 7), "s0 < 10");
  // [quote.end]
  EXPECT_EQ(env.first_failure({{batch, 1}})->substr(0, 7), "s0 >= 2");
  EXPECT_EQ((batch * batch).evaluate({{batch, 7}}), 49);
  EXPECT_NE(env.str().find("s0: hint 4"), std::string::npos);
  EXPECT_NE(message_of(TENON_ERROR_TYPE,
                       [&] {
                         env.first_failure({{SymInt(3), 7}});
                       })
                .find("numbers: keys must be symbols, got 3"),
            std::string::npos);
}

TEST(ShapeEnv, Symbols_OutliveIt) {
  SymInt size = 0;
  {
    const ShapeEnv env;
    size = env.new_symbol({.name = "rows", .min = 0, .max = 9});
  }
  EXPECT_EQ((size + 1).str(), "rows + 1");
  EXPECT_EQ(size.bounds(), (std::pair<int64_t, int64_t>(0, 9)));
  EXPECT_FALSE(size.hint());
}

TEST(SymInt, OfTwoEnvironments_IsRefused) {
  const SymInt a = ShapeEnv().new_size(4), b = ShapeEnv().new_size(4);
  EXPECT_NE(message_of(TENON_ERROR_INVALID_ARGUMENT, [&] { a + b; }).find("one shape environment"),
            std::string::npos);
}

TEST(SymInt, Unbacked_IsDecidedByBoundsAlone) {
  const SymInt count = ShapeEnv().new_symbol({.min = 2, .max = 5});
  EXPECT_TRUE(count >= 2 && count <= 5 && !(count > 5));
  const std::string text = message_of(TENON_ERROR_DATA_DEPENDENT, [&] { return count > 3; });
  EXPECT_NE(text.find("u0 > 3 must be true or false for all values"), std::string::npos) << text;
  EXPECT_NE(text.find("symbol_test.cpp"), std::string::npos) << text;
}

TEST(SymbolicTensor, Shape_InSymbols) {
  const ShapeEnv env;
  const SymInt rows = env.new_size(4);
  const Tensor x = empty_symbolic({rows, 3});
  EXPECT_EQ(sizes_of(x), "s0, 3");
  EXPECT_EQ(x.sym_numel().str(), "3*s0");
  EXPECT_EQ(x.sym_strides()[0].maybe_as_int(), 3);
  EXPECT_EQ(x.sym_storage_offset().maybe_as_int(), 0);
  EXPECT_EQ(x.sym_size(-1).maybe_as_int(), 3);
  EXPECT_THROW(x.sym_size(2), Error);
  EXPECT_THROW(x.sizes(), Error);
  EXPECT_EQ(sizes_of(aten::mm(x, aten::t(x))), "s0, s0");
  EXPECT_EQ(sizes_of(Tensor::from({1.0f, 2.0f}, {2})), "2");
  EXPECT_TRUE(env.guards().empty());
}

TEST(SymbolicTensor, MadeWithStridesOnAFakeDevice_ClaimsBoth) {
  const ShapeEnv env;
  const SymInt n = env.new_size(4);
  const FakeMode mode(env);
  const Device device = mode.from(Tensor::from({1.0f}, {1})).device();
  const std::vector<SymInt> sizes{n, 3}, strides{1, n};
  const Tensor x = empty_symbolic(sizes, {Dtype::F64, device}, strides);
  EXPECT_TRUE(x.is_fake());
  EXPECT_EQ(x.sym_strides()[1].str(), "s0");
  EXPECT_NE(message_of(TENON_ERROR_INVALID_ARGUMENT,
                       [&] { empty_symbolic(sizes, {}, std::span(strides).first(1)); })
                .find("strides must be 2 like the sizes, got 1"),
            std::string::npos);
  message_of(TENON_ERROR_INVALID_ARGUMENT, [&] { empty_symbolic(sizes, {Dtype::F32, Device()}); });
}

TEST(SymbolicTensor, SymbolicArguments_ReachOperators) {
  const ShapeEnv env;
  const SymInt n = env.new_size(4);
  const Tensor x = empty_symbolic({n, 3});
  const Tensor turned = Op("aten::view")(x, sym_list({3, n}))[0].tensor();
  EXPECT_EQ(sizes_of(turned), "3, s0");
  EXPECT_TRUE(env.guards().empty());
}

TEST(SymbolicKernel, WithSymIntParameters_GetsSymbols) {
  const ShapeEnv env;
  Library library(Library::Def, "symbols_hpp");
  library.def("grow(Tensor x, SymInt n, SymInt[] more) -> Tensor");
  library.impl("grow", TENON_KEY_META,
               [](const Tensor& x, const SymInt& n, const std::vector<SymInt>& more) {
                 return empty_symbolic({x.sym_size(0) * n, more[0]}, x.options());
               });
  const SymInt n = env.new_size(4);
  const Op grow("symbols_hpp::grow");
  EXPECT_EQ(sizes_of(grow(empty_symbolic({n}), n, sym_list({n, 2}))[0].tensor()), "s0*s0, s0");
  EXPECT_TRUE(env.guards().empty());
  EXPECT_EQ(sizes_of(grow(empty_symbolic({3}), 2, std::vector<int64_t>{5})[0].tensor()), "6, 5");
}

TEST(SymbolicKernel, ThatGivesASymInt_KeepsIt) {
  const ShapeEnv env;
  Library library(Library::Def, "symbols_hpp");
  library.def("rows(Tensor x) -> SymInt");
  library.impl("rows", TENON_KEY_META, [](const Tensor& x) { return x.sym_size(0); },
               {.symbolic = true});
  const Value rows = Op("symbols_hpp::rows")(empty_symbolic({env.new_size(4)}))[0];
  EXPECT_EQ(SymInt(rows).str(), "s0");
  EXPECT_TRUE(env.guards().empty());
}

TEST(SymbolicKernel, OfNumbersAlone_GetsNumbersByAGuard) {
  const ShapeEnv env;
  Library library(Library::Def, "symbols_hpp");
  library.def("plain(Tensor x) -> Tensor");
  library.impl("plain", TENON_KEY_META, [](const Tensor& x) {
    EXPECT_EQ(x.size(0), 4);
    return empty_symbolic({x.size(0)}, x.options());
  });
  Op("symbols_hpp::plain")(empty_symbolic({env.new_size(4)}));
  ASSERT_EQ(env.guards().size(), 1u);
  EXPECT_EQ(env.guards()[0].text, "s0 == 4");
  EXPECT_EQ(env.guards()[0].op, "symbols_hpp::plain");
}

TEST(SymbolicFake, NewDynamicSize_IsASymbolOfTheModesEnvironment) {
  // [quote.begin dynamic]
  Library library(Library::Def, "symbols_hpp");
  library.def("positive(Tensor x) -> Tensor");
  library.register_fake("positive", [](const Tensor& x) {
    return empty_symbolic({new_dynamic_size(0, x.numel())}, x.options());
  });
  const ShapeEnv env;
  const FakeMode mode(env);
  const Tensor found =
      Op("symbols_hpp::positive")(mode.from(Tensor::from({1.0f, 2.0f}, {2})))[0].tensor();
  EXPECT_EQ(found.sym_size(0).str(), "u0");
  EXPECT_TRUE(found.sym_size(0) <= 2);
  // [quote.end]
  EXPECT_EQ(mode.shape_env(), env);
}

TEST(SymbolicFake, NewDynamicSizeElsewhere_IsAnError) {
  message_of(TENON_ERROR_STATE, [] { new_dynamic_size(); });
}

}  // namespace
