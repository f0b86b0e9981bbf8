// SPDX-License-Identifier: Apache-2.0
// aten::min.dim.
#include <cmath>
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

std::vector<Value> smallest_with_index(const Tensor& self, int64_t dim) {
  return Op("aten::min.dim")(self, dim);
}

TEST(Min, AlongEitherDim_GivesValuesAndFirstIndices) {
  const Tensor self = Tensor::from<float>({1, 5, 2, 5, 0, 5}, {2, 3});
  const auto rows = smallest_with_index(self, 1);
  EXPECT_EQ(elements(rows.at(0).tensor()), (Doubles{1, 0}));
  EXPECT_EQ(elements(rows.at(1).tensor()), (Doubles{0, 1}));
  const auto columns = smallest_with_index(self, 0);
  EXPECT_EQ(elements(columns.at(0).tensor()), (Doubles{1, 0, 2}));
  EXPECT_EQ(elements(columns.at(1).tensor()), (Doubles{0, 1, 0}));
}

TEST(Min, NaN_CountsFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto results = smallest_with_index(Tensor::from<float>({1, nan, 9, nan}, {4}), 0);
  EXPECT_TRUE(std::isnan(elements(results.at(0).tensor()).at(0)));
  EXPECT_EQ(elements(results.at(1).tensor()), (Doubles{1}));
}

TEST(Min, Out_WritesBoth) {
  const Tensor values = Tensor::empty(Ints{0}, Dtype::F16);
  const Tensor indices = Tensor::empty(Ints{0}, Dtype::I64);
  const Tensor self = call("aten::to.dtype", Tensor::from<float>({3, 1, 2}, {3}), Dtype::F16);
  Op("aten::min.dim_min")(self, -1, kw("min", values), kw("min_indices", indices));
  EXPECT_EQ(elements(values), (Doubles{1}));
  EXPECT_EQ(elements(indices), (Doubles{1}));
}

TEST(Min, OutOfAnotherDtype_IsRefused) {
  const Tensor values = Tensor::empty(Ints{0}, Dtype::F64);
  const Tensor indices = Tensor::empty(Ints{0}, Dtype::I64);
  const Tensor self = Tensor::from<float>({3, 1}, {2});
  const Error error = error_of(
      [&] { Op("aten::min.dim_min")(self, 0, kw("min", values), kw("min_indices", indices)); });
  EXPECT_EQ(std::string(error.what()),
            "aten::min.dim_min: min must have dtype float32, got float64");
}

TEST(Min, OfAll_GivesOneElement) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(elements(call("aten::min", Tensor::from<int32_t>({4, -5, 2}, {3}))), (Doubles{-5}));
  EXPECT_TRUE(std::isnan(elements(call("aten::min", Tensor::from<double>({nan, 1}, {2}))).at(0)));
  EXPECT_EQ(elements(call("aten::min", Tensor::from<bool>({true, true}, {2}))), (Doubles{1}));
}

}  // namespace
}  // namespace tenon::tests
