// SPDX-License-Identifier: Apache-2.0
// The in-place and out forms that the facts of an operator stand for: equal to the functional one,
// into the caller's tensor, of any dtype that the result can be cast to and in any layout.
#include <cmath>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// More elements than a block of the loops, with a rest.
Tensor numbers(Dtype dtype) {
  std::vector<float> elements(600);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = 0.25F + static_cast<float>(i % 7);
  return call("aten::to.dtype", Tensor::from<float>(elements, Ints{20, 30}), dtype);
}

class UnaryForms : public testing::TestWithParam<std::string> {
 protected:
  std::string op(const char* form) const { return "aten::" + GetParam() + form; }
  Tensor functional(const Tensor& self) const { return call(op(""), self); }
};

TEST_P(UnaryForms, InPlace_WritesSelf) {
  const Tensor self = numbers(Dtype::F32);
  const Tensor expected = functional(self);
  EXPECT_EQ(call(op("_"), self).get(), self.get());
  EXPECT_EQ(elements(self), elements(expected));
}

TEST_P(UnaryForms, OutOfAnotherDtypeAndLayout_IsWritten) {
  const Tensor self = numbers(Dtype::F32);
  const Tensor out = call("aten::t", Tensor::empty(Ints{30, 20}, Dtype::F64));
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
            op(".out") + ": out must be of a dtype that float32 can be cast to, got int64");
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

}  // namespace
}  // namespace tenon::tests
