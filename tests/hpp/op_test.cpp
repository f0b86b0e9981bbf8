// SPDX-License-Identifier: Apache-2.0
// tenon.hpp: calling operators with values, keywords and C++ types; adapters both ways.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include <tenon/tenon.hpp>

namespace {

using tenon::Dtype;
using tenon::Error;
using tenon::Library;
using tenon::Op;
using tenon::Scalar;
using tenon::Tensor;
using tenon::Value;

const std::vector<int64_t> kThree{3};

// Fails unless `body` throws a tenon::Error of this code whose message contains the text.
template <class Body>
void expect_error(tenon_status code, const std::string& text, Body&& body) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected \"" << text << "\"";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.format();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.format();
  }
  EXPECT_EQ(tenon_error_peek(), nullptr);
}

TEST(Op, BoxedCall_FillsDefaultsAndTakesKeywords) {
  Library library(Library::Def, "hpp1");
  library.def("scale(Tensor x, float by=2.0, *, int plus=0) -> Tensor",
              [](const Tensor& x, double by, int64_t plus) {
                Tensor out = Tensor::empty(x.sizes(), Dtype::F32);
                for (int64_t i = 0; i < x.numel(); ++i) {
                  out.data<float>()[i] =
                      static_cast<float>(x.data<float>()[i] * by + static_cast<double>(plus));
                }
                return out;
              });
  const Op op("hpp1::scale");
  const Tensor x = Tensor::from({1.0f, 2.0f}, {2});
  EXPECT_EQ(op(x)[0].tensor().data<float>()[1], 4.0f);
  EXPECT_EQ(op(x, 3.0)[0].tensor().data<float>()[1], 6.0f);
  EXPECT_EQ(op(x, tenon::kw("plus", 1))[0].tensor().data<float>()[1], 5.0f);
  EXPECT_EQ(op(x, tenon::kw("plus", 1), tenon::kw("by", 0.5))[0].tensor().data<float>()[1], 2.0f);
}

TEST(Op, BoxedCall_BadArguments_NameOperatorAndArgument) {
  Library library(Library::Def, "hpp2");
  library.def("f(Tensor x, int n, *, float k=1.0) -> Tensor",
              [](const Tensor& x, int64_t, double) { return x; });
  const Op op("hpp2::f");
  const Tensor x = Tensor::from({1.0f}, {1});
  expect_error(TENON_ERROR_TYPE, "hpp2::f: n must be given", [&] { op(x); });
  expect_error(TENON_ERROR_TYPE, "hpp2::f: k must be given by name", [&] { op(x, 1, 2.0); });
  expect_error(TENON_ERROR_TYPE, "hpp2::f: number of positional arguments must be at most 2, got 4",
               [&] { op(x, 1, 2, 3); });
  expect_error(TENON_ERROR_TYPE, "got 'zz'", [&] { op(x, 1, tenon::kw("zz", 1)); });
  expect_error(TENON_ERROR_TYPE, "hpp2::f: x must be given once",
               [&] { op(x, 1, tenon::kw("x", x)); });
  expect_error(TENON_ERROR_TYPE, "n must be int, got str", [&] { op(x, "one"); });
  expect_error(TENON_ERROR_NOT_FOUND, "hpp2::g", [] { Op("hpp2::g"); });
}

TEST(Op, BoxedCall_ConvertsWhatLosesNothing) {
  Library library(Library::Def, "hpp_convert");
  library.def("f(float by, int[2] stride, Device device) -> float",
              [](double by, std::span<const int64_t> stride, const tenon::Device& device) {
                return by + static_cast<double>(stride[1]) + device.index;
              });
  const Op op("hpp_convert::f");
  EXPECT_EQ(op(1, 3, "cpu")[0].to_double(), 4.0);
  expect_error(TENON_ERROR_TYPE, "by must be float, got int 9007199254740993 at position 0",
               [&] { op((int64_t{1} << 53) + 1, 3, "cpu"); });
  expect_error(TENON_ERROR_NOT_FOUND, "device type must be one of", [&] { op(1, 3, "gpu9"); });
}

TEST(TypedOp, OptionalTensorResult_IsTyped) {
  Library library(Library::Def, "hpp_optional");
  library.def("maybe(Tensor x, bool there) -> Tensor?",
              [](const Tensor& x, bool there) -> std::optional<Tensor> {
                return there ? std::optional<Tensor>(x) : std::nullopt;
              });
  library.def("both(Tensor? x) -> (Tensor?, Tensor?)", [](std::optional<Tensor> x) {
    return std::tuple<std::optional<Tensor>, std::optional<Tensor>>(x, std::nullopt);
  });
  const Tensor x = Tensor::from({1.0f}, {1});
  const auto maybe = Op("hpp_optional::maybe").typed<std::optional<Tensor>(const Tensor&, bool)>();
  EXPECT_EQ(maybe(x, true)->get(), x.get());
  EXPECT_FALSE(maybe(x, false).has_value());
  using Two = std::tuple<std::optional<Tensor>, std::optional<Tensor>>;
  const auto both = Op("hpp_optional::both").typed<Two(const std::optional<Tensor>&)>();
  EXPECT_EQ(std::get<0>(both(x))->get(), x.get());
  EXPECT_FALSE(std::get<1>(both(x)).has_value());
  EXPECT_FALSE(std::get<0>(both(std::nullopt)).has_value());
  // The boxed forms of these kernels.
  EXPECT_EQ(Op("hpp_optional::maybe")(x, true)[0].tensor().get(), x.get());
  EXPECT_TRUE(Op("hpp_optional::maybe")(x, false)[0].is_none());
  const Op boxed("hpp_optional::maybe");
  tenon_frame frame;
  const tenon_entry* entry = tenon_frame_begin1(boxed.get(), x.get(), &frame);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->signature, tenon_schema_signature_hash(boxed.schema().get()));
  tenon_frame_leave(&frame);
}

// Every parameter type that kernels can take, passed through unchanged by both calling conventions.
std::tuple<std::string, int64_t> describe(const Tensor& t, tenon::OptionalTensor o, int64_t i,
                                          bool b, double d, std::string_view s, const Scalar& k,
                                          std::span<const int64_t> is, std::span<const double> ds,
                                          std::span<const uint8_t> bs, tenon::TensorList ts,
                                          std::optional<int64_t> oi, std::optional<Dtype> od,
                                          std::optional<tenon::Device> ov,
                                          std::optional<std::span<const int64_t>> ois) {
  std::string text;
  const auto add = [&text](const auto& part) { (text += part) += ' '; };
  add(std::to_string(t.numel()));
  add(o ? std::to_string(o->numel()) : "-");
  add(std::to_string(i));
  add(b ? "true" : "false");
  add(std::to_string(static_cast<int>(d * 10)));
  add(s);
  add(std::to_string(k.to_int()));
  add(std::to_string(is.size() > 1 ? is[1] : -1));
  add(std::to_string(ds.empty() ? -1 : static_cast<int>(ds[0])));
  add(std::to_string(bs.size()));
  add(std::to_string(ts.size()));
  add(oi ? std::to_string(*oi) : "-");
  add(od ? name_of(*od) : "-");
  add(ov ? ov->str() : "-");
  add(ois ? std::to_string(ois->size()) : "-");
  return {text, ts.size()};
}

constexpr const char* kDescribeSchema =
    "describe(Tensor t, Tensor? o, int i, bool b, float d, str s, Scalar k, int[] is, float[] ds, "
    "bool[] bs, Tensor[] ts, int? oi, ScalarType? od, Device? ov, int[]? ois) -> (str, int)";

using DescribeSignature = std::tuple<std::string, int64_t>(
    const Tensor&, tenon::OptionalTensor, int64_t, bool, double, std::string_view, Scalar,
    std::span<const int64_t>, std::span<const double>, std::span<const uint8_t>, tenon::TensorList,
    std::optional<int64_t>, std::optional<Dtype>, std::optional<tenon::Device>,
    std::optional<std::span<const int64_t>>);

std::string call_describe(const Op& op, bool with) {
  const auto typed = op.typed<DescribeSignature>();
  const Tensor t = Tensor::from({1.0f, 2.0f, 3.0f}, {3});
  const Tensor o = Tensor::from({1.0f}, {1});
  const std::vector<int64_t> is{4, 5};
  const std::vector<double> ds{7.0};
  const std::vector<uint8_t> bs{1, 0, 1};
  const std::vector<Tensor> ts{t, o};
  if (with) {
    return std::get<0>(typed(t, o, 9, true, 1.5, "text", 8, is, ds, bs, ts, 6, Dtype::F16,
                             tenon::Device("cpu"), std::span<const int64_t>(is)));
  }
  return std::get<0>(typed(t, nullptr, 9, false, 1.5, "", 8, {}, {}, {}, {}, std::nullopt,
                           std::nullopt, std::nullopt, std::nullopt));
}

TEST(TypedOp, TypedKernel_GetsEveryParameterType) {
  Library library(Library::Def, "hpp3");
  const Op op = library.def(kDescribeSchema);
  library.impl("describe", TENON_KEY_CPU, &describe);
  EXPECT_EQ(call_describe(op, true), "3 1 9 true 15 text 8 5 7 3 2 6 float16 cpu 2 ");
  EXPECT_EQ(call_describe(op, false), "3 - 9 false 15  8 -1 -1 0 0 - - - - ");
}

TEST(TypedOp, BoxedKernel_IsCalledThroughTheStack) {
  Library library(Library::Def, "hpp4");
  const Op op = library.def(kDescribeSchema);
  // The boxed form of this function alone.
  library.impl_boxed("describe", TENON_KEY_CPU,
                     &tenon::detail::AdapterOf<decltype(&describe)>::boxed,
                     reinterpret_cast<void*>(&describe));
  EXPECT_EQ(call_describe(op, true), "3 1 9 true 15 text 8 5 7 3 2 6 float16 cpu 2 ");
  EXPECT_EQ(call_describe(op, false), "3 - 9 false 15  8 -1 -1 0 0 - - - - ");
}

TEST(TypedOp, Item129_WrongSignature_IsRefusedWithBoth) {
  Library library(Library::Def, "hpp5");
  const Op op = library.def("f(Tensor x, int n) -> Tensor");
  expect_error(TENON_ERROR_TYPE, "\"Ti>T\", got \"T>T\"",
               [&] { op.typed<Tensor(const Tensor&)>(); });
  expect_error(TENON_ERROR_TYPE, "\"Ti>T\", got \"Td>T\"",
               [&] { op.typed<Tensor(const Tensor&, double)>(); });
}

TEST(TypedOp, Item149_WrittenArgument_IsReturnedItself) {
  Library library(Library::Def, "hpp6");
  const Op op = library.def("inc_(Tensor(a!) self) -> Tensor(a!)");
  library.impl("inc_", TENON_KEY_CPU, [](Tensor& self) -> Tensor& {
    *self.data<float>() += 1.0f;
    return self;
  });
  const Tensor x = Tensor::from({1.0f}, {1});
  const std::vector<Value> boxed = op(x);
  EXPECT_EQ(boxed[0].tensor().get(), x.get());
  op.typed<void(const Tensor&)>()(x);
  EXPECT_EQ(*x.data<float>(), 3.0f);
  EXPECT_EQ(x.version(), 2);
}

TEST(TypedOp, Redispatch_GoesBelowTheKeyOfTheKernel) {
  Library library(Library::Def, "hpp7");
  const Op op = library.def("f(Tensor x) -> Tensor");
  library.impl("f", TENON_KEY_CPU, [](const Tensor& x) { return x; });
  std::string seen;
  library.impl("f", TENON_KEY_AUTOGRAD, [&](tenon::KeySet keys, const Tensor& x) {
    seen = keys.str();
    return op.typed<Tensor(const Tensor&)>().redispatch(
        keys & tenon::KeySet::below(TENON_KEY_AUTOGRAD), x);
  });
  const Tensor x = Tensor::from({1.0f}, {1});
  EXPECT_EQ(op.typed<Tensor(const Tensor&)>()(x).get(), x.get());
  EXPECT_EQ(seen.substr(0, 13), "{AutogradCPU,");
}

TEST(TypedOp, Factory_TakesItsBackendFromTheDevice) {
  Library library(Library::Def, "hpp8");
  const Op op = library.def("make(int n, *, Device? device=None) -> Tensor");
  library.impl("make", TENON_KEY_CPU, [](int64_t n, std::optional<tenon::Device>) {
    return Tensor::empty(std::vector<int64_t>{n}, Dtype::F32);
  });
  library.impl("make", TENON_KEY_META, [](int64_t n, std::optional<tenon::Device> device) {
    return Tensor::empty(std::vector<int64_t>{n}, Dtype::F32, *device);
  });
  const auto make = op.typed<Tensor(int64_t, std::optional<tenon::Device>)>();
  EXPECT_EQ(make(2, std::nullopt).device().str(), "cpu");
  EXPECT_EQ(make(2, tenon::Device("meta")).device().str(), "meta");
  EXPECT_EQ(op(2, tenon::kw("device", tenon::Device("meta")))[0].tensor().device().str(), "meta");
}

TEST(Kernel, Item155_Functor_KeepsItsStateAndDiesOnce) {
  auto state = std::make_shared<int>(0);
  {
    Library library(Library::Def, "hpp9");
    const Op op = library.def("count(Tensor x) -> int",
                              [state](const Tensor&) -> int64_t { return ++*state; });
    const Tensor x = Tensor::from({1.0f}, {1});
    EXPECT_EQ(op(x)[0].to_int(), 1);
    EXPECT_EQ(op.typed<int64_t(const Tensor&)>()(x), 2);
    EXPECT_EQ(state.use_count(), 2);
  }
  EXPECT_EQ(state.use_count(), 1);
}

TEST(Kernel, Item107_SchemaIsInferred) {
  Library library(Library::Def, "hpp10");
  const Op op = library.def("f", [](const Tensor& a, std::optional<int64_t>, tenon::TensorList,
                                    std::string_view) { return std::tuple<Tensor, double>(a, 1); });
  EXPECT_STREQ(op.schema().text(),
               "hpp10::f(Tensor _0, int? _1, Tensor[] _2, str _3) -> (Tensor, float)");
}

TEST(Kernel, Item108_MismatchWithSchema_IsRefusedBothWays) {
  Library library(Library::Def, "hpp11");
  library.def("f(Tensor x) -> Tensor");
  expect_error(TENON_ERROR_INVALID_ARGUMENT, "hpp11::f", [&] {
    library.impl("f", TENON_KEY_CPU, [](const Tensor& x, int64_t) { return x; });
  });
  library.impl("g", TENON_KEY_CPU, [](const Tensor& x, int64_t) { return x; });
  expect_error(TENON_ERROR_INVALID_ARGUMENT, "hpp11::g",
               [&] { library.def("g(Tensor x) -> Tensor"); });
  library.def("g(Tensor x, int n) -> Tensor");
}

struct Custom : std::exception {
  const char* what() const noexcept override { return "custom"; }
  int payload = 42;
};

TEST(Error, Item161_OriginalException_ComesHome) {
  Library library(Library::Def, "hpp12");
  const Op op = library.def("f(Tensor x) -> Tensor", [](const Tensor& x) -> Tensor {
    if (x.numel() == 1) throw Custom();
    throw Error(TENON_ERROR_INDEX, "mine");
  });
  const auto typed = op.typed<Tensor(const Tensor&)>();
  const Tensor one = Tensor::from({1.0f}, {1});
  const Tensor two = Tensor::from({1.0f, 2.0f}, {2});
  EXPECT_THROW(op(one), Custom);
  EXPECT_THROW(typed(one), Custom);
  expect_error(TENON_ERROR_INDEX, "mine", [&] { op(two); });
  expect_error(TENON_ERROR_INDEX, "mine", [&] { typed(two); });
}

TEST(Library, FallbackAndFallthrough_FromCpp) {
  Library library(Library::Def, "hpp13");
  const Op op = library.def("f(Tensor x) -> Tensor", [](const Tensor& x) { return x; });
  Library fallbacks(Library::Impl, "_");
  int calls = 0;
  fallbacks.fallback(
      TENON_KEY_TRACER,
      [](void* ctx, const tenon_op* called, tenon_keyset keys, tenon_stack* stack) {
        ++*static_cast<int*>(ctx);
        return tenon_op_redispatch(called, keys & tenon_keyset_below(TENON_KEY_TRACER), stack);
      },
      &calls);
  const Tensor x = Tensor::from({1.0f}, {1});
  op(x);
  EXPECT_EQ(calls, 0);
  const tenon::IncludeKeys profiling(tenon::KeySet::of({TENON_KEY_TRACER}));
  op(x);
  EXPECT_EQ(calls, 1);
  const tenon::Registration skip = library.fallthrough("f", TENON_KEY_TRACER);
  op(x);
  EXPECT_EQ(calls, 1);
}

#if !defined(NDEBUG)
TEST(StackDeathTest, ReservedWordThatIsNotZero_StopsADebugBuild) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Library library(Library::Def, "hpp14");
  const Op op = library.def("f() -> int", [] { return int64_t{1}; });
  tenon_value result{};
  tenon_stack stack{};
  stack.rets = &result;
  stack.nrets = 1;
  stack.reserved[1] = 1;
  EXPECT_DEATH(static_cast<void>(tenon_op_call(op.get(), &stack)), "reserved");
  EXPECT_DEATH(static_cast<void>(tenon_op_call_fast(op.get(), &stack)), "reserved");
}
#endif

}  // namespace
