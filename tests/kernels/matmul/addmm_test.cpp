// SPDX-License-Identifier: Apache-2.0
// aten::addmm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

Tensor matrix(std::initializer_list<float> elements, std::initializer_list<int64_t> sizes) {
  return Tensor::from<float>(elements, sizes);
}

TEST(Addmm, Row_IsAddedToEachRowOfTheProduct) {
  const Tensor result = call("aten::addmm", matrix({10, 20}, {2}), matrix({1, 2, 3, 4}, {2, 2}),
                             matrix({1, 0, 0, 1}, {2, 2}));
  EXPECT_EQ(elements(result), (Doubles{11, 22, 13, 24}));
}

TEST(Addmm, BetaAndAlpha_ScaleBothTerms) {
  const Tensor result = call("aten::addmm", matrix({10, 20}, {2, 1}), matrix({1, 2}, {2, 1}),
                             matrix({3, 4}, {1, 2}), kw("beta", 0.5), kw("alpha", -2));
  EXPECT_EQ(elements(result), (Doubles{-1, -3, -2, -6}));
}

TEST(Addmm, BetaOfZero_TakesNothingOfSelf) {
  const Tensor result = call("aten::addmm", matrix({NAN}, {1}), matrix({2}, {1, 1}),
                             matrix({3}, {1, 1}), kw("beta", 0));
  EXPECT_EQ(elements(result), (Doubles{6}));
}

TEST(Addmm, NoColumns_GivesSelf) {
  const Tensor result =
      call("aten::addmm", matrix({7}, {1}), matrix({}, {2, 0}), matrix({}, {0, 1}));
  EXPECT_EQ(elements(result), (Doubles{7, 7}));
}

TEST(Addmm, InPlace_WritesSelfOfTheProductsSizes) {
  const Tensor self = matrix({1, 2}, {1, 2});
  call("aten::addmm_", self, matrix({3}, {1, 1}), matrix({10, 20}, {1, 2}));
  EXPECT_EQ(elements(self), (Doubles{31, 62}));
  const Error error = error_of([] { call("aten::addmm_", meta({2}), meta({2, 2}), meta({2, 2})); });
  EXPECT_NE(std::string(error.what()).find("aten::addmm_: self must have the sizes of the product"),
            std::string::npos);
}

TEST(Addmm, WhatDoesNotFit_IsRefusedByName) {
  const auto message = [](const Tensor& self, const Tensor& mat1, const Tensor& mat2) {
    const Error error = error_of([&] { call("aten::addmm", self, mat1, mat2); });
    EXPECT_EQ(error.code(), TENON_ERROR_INVALID_ARGUMENT);
    return std::string(error.what());
  };
  EXPECT_NE(message(meta({3}), meta({2, 2}), meta({2, 2})).find("self must broadcast"),
            std::string::npos);
  EXPECT_NE(message(meta({1, 2, 2}), meta({2, 2}), meta({2, 2})).find("self must broadcast"),
            std::string::npos);
  EXPECT_NE(message(meta({2}), meta({2}), meta({2, 2})).find("mat1"), std::string::npos);
  EXPECT_NE(message(meta({2}), meta({2, 3}), meta({2, 2})).find("mat2"), std::string::npos);
  EXPECT_NE(message(meta({2}, Dtype::F64), meta({2, 2}), meta({2, 2})).find("self must be"),
            std::string::npos);
}

TEST(Addmm, OutThatIsAFactorOfOtherSizes_IsReadAsItWas) {
  const Tensor column = call("aten::clone", matrix({1, 2}, {2, 1}));
  call("aten::addmm.out", matrix({10, 20}, {2}), column, call("aten::t", column),
       kw("out", column));
  EXPECT_EQ(elements(column), (Doubles{11, 22, 12, 24}));
}

}  // namespace
}  // namespace tenon::tests
