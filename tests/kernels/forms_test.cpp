// SPDX-License-Identifier: Apache-2.0
// The in-place and out forms in an operator's facts compute what the functional form does. They
// write to the caller's tensor, with any layout and any dtype that the result can be cast to.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// More elements than one block of the loops, with a remainder.
Tensor numbers(Dtype dtype) {
  std::vector<float> elements(600);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = 0.25F + static_cast<float>(i % 7);
  return call("aten::to.dtype", Tensor::from<float>(elements, Ints{20, 30}), dtype);
}

class UnaryForms : public testing::TestWithParam<std::string> {
 protected:
  std::string op(const char* form) const { return "aten::" + GetParam() + form; }
  Tensor functional(const Tensor& self) const { return call(op(""), self); }
  // Returns true for operators whose out must have exactly the result's dtype.
  bool is_exact() const {
    return GetParam() == "abs" || GetParam() == "neg" || GetParam() == "relu";
  }
};

TEST_P(UnaryForms, InPlace_WritesSelf) {
  const Tensor self = numbers(Dtype::F32);
  const Tensor expected = functional(self);
  EXPECT_EQ(call(op("_"), self).get(), self.get());
  EXPECT_EQ(elements(self), elements(expected));
}

TEST_P(UnaryForms, OutOfAnotherDtypeAndLayout_IsWritten) {
  const Tensor self = numbers(Dtype::F32);
  const Dtype dtype = is_exact() ? Dtype::F32 : Dtype::F64;
  const Tensor out = call("aten::t", Tensor::empty(Ints{30, 20}, dtype));
  EXPECT_EQ(call(op(".out"), self, kw("out", out)).get(), out.get());
  EXPECT_EQ(elements(out), elements(functional(self)));
}

TEST_P(UnaryForms, StridedInputOfHalfPrecision_IsComputedAsFloat) {
  const Tensor self = call("aten::t", numbers(Dtype::F16));
  const Tensor wide = functional(call("aten::to.dtype", self, Dtype::F32));
  EXPECT_EQ(elements(functional(self)), elements(call("aten::to.dtype", wide, Dtype::F16)));
}

TEST_P(UnaryForms, FloatResultIntoIntegers_IsRefused) {
  const Tensor out = Tensor::empty(Ints{20, 30}, Dtype::I64);
  const Error error = error_of([&] { call(op(".out"), numbers(Dtype::F32), kw("out", out)); });
  EXPECT_EQ(std::string(error.what()),
            op(".out") + (is_exact() ? ": out must have dtype float32, got int64"
                                     : ": out must have a dtype that float32 can be cast to, got "
                                       "int64"));
}

INSTANTIATE_TEST_SUITE_P(Operators, UnaryForms,
                         testing::Values("abs", "cos", "exp", "log", "neg", "reciprocal", "relu",
                                         "sigmoid", "sin", "sqrt", "tanh"),
                         [](const auto& info) { return info.param; });

TEST(UnaryForms, MetaOut_IsResizedWithoutData) {
  const Tensor out = meta({0});
  call("aten::exp.out", meta({2, 3}), kw("out", out));
  EXPECT_EQ(sizes(out), (Ints{2, 3}));
}

class BinaryForms : public testing::TestWithParam<std::string> {
 protected:
  // Returns the name of a form: "add.Tensor" with a suffix for the in-place or out form.
  std::string op(const std::string& suffix) const {
    const size_t dot = GetParam().find('.');
    return "aten::" + GetParam().substr(0, dot) + suffix;
  }
  std::string functional() const { return "aten::" + GetParam(); }
};

TEST_P(BinaryForms, InPlace_WritesSelf) {
  const Tensor self = numbers(Dtype::F32);
  const Tensor row = Tensor::from<float>(std::vector<float>(30, 1.25F), Ints{30});
  const Tensor expected = call(functional(), self, row);
  EXPECT_EQ(call(op("_.Tensor"), self, row).get(), self.get());
  EXPECT_EQ(elements(self), elements(expected));
}

TEST_P(BinaryForms, MixedDtypesByBlocks_AnswerAsWholeCasts) {
  const Tensor self = call("aten::t", numbers(Dtype::I64));
  const Tensor column = call("aten::to.dtype", numbers(Dtype::F32), Dtype::F64);
  const Tensor other = call("aten::t", column);
  const Tensor expected = call(functional(), call("aten::to.dtype", self, Dtype::F64), other);
  const Tensor result = call(functional(), self, other);
  EXPECT_EQ(result.dtype(), expected.dtype());
  EXPECT_EQ(elements(result), elements(expected));
}

TEST_P(BinaryForms, NumberForm_AnswersAsOneElement) {
  const Tensor self = numbers(Dtype::F32);
  const Tensor one = Tensor::from<float>({1.5F}, {1});
  const Tensor expected = call(functional(), self, one);
  EXPECT_EQ(elements(call(op(".Scalar"), self, 1.5)), elements(expected));
  EXPECT_EQ(call(op("_.Scalar"), self, 1.5).get(), self.get());
  EXPECT_EQ(elements(self), elements(expected));
}

INSTANTIATE_TEST_SUITE_P(Operators, BinaryForms,
                         testing::Values("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor",
                                         "eq.Tensor", "ne.Tensor", "lt.Tensor", "le.Tensor",
                                         "gt.Tensor", "ge.Tensor"),
                         [](const auto& info) {
                           return info.param.substr(0, info.param.find('.'));
                         });

TEST(BinaryForms, ComparisonOut_MayBeOfAnyDtype) {
  const Tensor out = Tensor::empty(Ints{0}, Dtype::F32);
  const Tensor two = Tensor::from<float>({2}, {1});
  call("aten::lt.Tensor_out", Tensor::from<float>({1, 3}, {2}), two, kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{1, 0}));
}

TEST(BinaryForms, WhereOut_IsWritten) {
  const Tensor out = Tensor::empty(Ints{2}, Dtype::F32);
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  call("aten::where.self_out", call("aten::gt.Scalar", self, 1), self,
       Tensor::from<float>({7}, {1}), kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{7, 2}));
}

TEST(BinaryForms, DivMode_InPlaceAndOut) {
  const Tensor self = Tensor::from<int64_t>({7, -7}, {2});
  const Tensor other = Tensor::from<int64_t>({2}, {1});
  const Tensor out = Tensor::empty(Ints{2}, Dtype::I64);
  call("aten::div.out_mode", self, other, kw("rounding_mode", "floor"), kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{3, -4}));
  call("aten::div_.Tensor_mode", self, other, kw("rounding_mode", "trunc"));
  EXPECT_EQ(elements(self), (Doubles{3, -3}));
}

class FoldForms : public testing::TestWithParam<Dtype> {};

// Reduces each dim and all dims: along memory, across it, and with casts by blocks.
TEST_P(FoldForms, SumOut_IsWrittenInItsLayout) {
  const Tensor self = call("aten::to.dtype", numbers(Dtype::F32), GetParam());
  const Dtype dtype = call("aten::sum", self).dtype();
  for (const int64_t dim : {0, 1}) {
    const Tensor expected = call("aten::sum.dim_IntList", self, Ints{dim});
    const int64_t length = dim == 0 ? 30 : 20;
    const Tensor out = call("aten::select.int", Tensor::empty(Ints{length, 2}, dtype), 1, 1);
    EXPECT_EQ(call("aten::sum.IntList_out", self, Ints{dim}, kw("out", out)).get(), out.get());
    EXPECT_EQ(elements(out), elements(expected));
  }
  const Tensor total = Tensor::empty(Ints{}, dtype);
  call("aten::sum.out", self, kw("out", total));
  EXPECT_EQ(elements(total), elements(call("aten::sum", self)));
}

TEST_P(FoldForms, AmaxOutWithKeepdim_IsResized) {
  const Tensor self = call("aten::to.dtype", numbers(Dtype::F32), GetParam());
  const Tensor out = Tensor::empty(Ints{0}, GetParam());
  call("aten::amax.out", self, Ints{0}, true, kw("out", out));
  EXPECT_EQ(sizes(out), (Ints{1, 30}));
  EXPECT_EQ(elements(out), elements(call("aten::amax", self, Ints{0}, true)));
}

INSTANTIATE_TEST_SUITE_P(Dtypes, FoldForms,
                         testing::Values(Dtype::U8, Dtype::I64, Dtype::F16, Dtype::F32, Dtype::F64),
                         [](const auto& info) { return std::string(name_of(info.param)); });

TEST(FoldForms, MeanOut_TakesItsDtypeFromOut) {
  const Tensor out = Tensor::empty(Ints{}, Dtype::F64);
  call("aten::mean.dtype_out", Tensor::from<int64_t>({1, 2}, {2}), kw("out", out));
  EXPECT_EQ(elements(out), (Doubles{1.5}));
}

TEST(FoldForms, ArgmaxOutOfFloats_IsRefused) {
  const Tensor out = Tensor::empty(Ints{}, Dtype::F32);
  const Error error = error_of([&] {
    call("aten::argmax.out", Tensor::from<float>({1, 2}, {2}), kw("out", out));
  });
  EXPECT_EQ(std::string(error.what()), "aten::argmax.out: out must have dtype int64, got float32");
}

TEST(FoldForms, OutOverItsInput_IsRefused) {
  const Tensor self = Tensor::from<float>({1, 2}, {2});
  const Tensor out = call("aten::select.int", self, 0, 0);
  const Error error = error_of([&] { call("aten::sum.out", self, kw("out", out)); });
  EXPECT_NE(std::string(error.what()).find("must not share memory"), std::string::npos);
  EXPECT_EQ(elements(self), (Doubles{1, 2}));
}

TEST(FoldForms, MetaOut_IsResizedWithoutData) {
  const Tensor out = meta({0});
  call("aten::sum.IntList_out", meta({2, 3}), Ints{1}, kw("out", out));
  EXPECT_EQ(sizes(out), Ints{2});
}

}  // namespace
}  // namespace tenon::tests
