// SPDX-License-Identifier: Apache-2.0
// aten::max.dim.
#include <cmath>
#include <limits>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

std::vector<Value> both(const Tensor& self, int64_t dim) { return Op("aten::max.dim")(self, dim); }

TEST(Max, AlongEitherDim_GivesValuesAndFirstIndices) {
  const Tensor self = Tensor::from<float>({1, 5, 2, 5, 0, 5}, {2, 3});
  const auto rows = both(self, 1);
  EXPECT_EQ(elements(rows.at(0).tensor()), (Doubles{5, 5}));
  EXPECT_EQ(elements(rows.at(1).tensor()), (Doubles{1, 0}));
  const auto columns = both(self, 0);
  EXPECT_EQ(elements(columns.at(0).tensor()), (Doubles{5, 5, 5}));
  EXPECT_EQ(elements(columns.at(1).tensor()), (Doubles{1, 0, 1}));
}

TEST(Max, NaN_CountsFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto results = both(Tensor::from<float>({1, nan, 9, nan}, {4}), 0);
  EXPECT_TRUE(std::isnan(elements(results.at(0).tensor()).at(0)));
  EXPECT_EQ(elements(results.at(1).tensor()), (Doubles{1}));
}

TEST(Max, Out_WritesBoth) {
  const Tensor values = Tensor::empty(Ints{0}, Dtype::F16);
  const Tensor indices = Tensor::empty(Ints{0}, Dtype::I64);
  const Tensor self = call("aten::to.dtype", Tensor::from<float>({3, 1, 2}, {3}), Dtype::F16);
  Op("aten::max.dim_max")(self, -1, kw("max", values), kw("max_values", indices));
  EXPECT_EQ(elements(values), (Doubles{3}));
  EXPECT_EQ(elements(indices), (Doubles{0}));
}

TEST(Max, OutOfAnotherDtype_IsRefused) {
  const Tensor values = Tensor::empty(Ints{0}, Dtype::F64);
  const Tensor indices = Tensor::empty(Ints{0}, Dtype::I64);
  const Tensor self = Tensor::from<float>({3, 1}, {2});
  const Error error = error_of(
      [&] { Op("aten::max.dim_max")(self, 0, kw("max", values), kw("max_values", indices)); });
  EXPECT_EQ(std::string(error.what()),
            "aten::max.dim_max: max must have dtype float32, got float64");
}

// Elements are compared in parallel lanes, but the first of equal elements and the first NaN win.
TEST(Max, AtEveryPlaceOfManyElements_GivesValueAndFirstIndex) {
  for (const int64_t count : {63, 64, 65, 127, 130, 4096, 4200, 9000}) {
    for (const int64_t at : {int64_t{0}, int64_t{1}, count / 2, count - 2, count - 1}) {
      std::vector<float> values(static_cast<size_t>(count), -1.0F);
      const auto place = static_cast<size_t>(at);
      values[place] = values.back() = 7.0F;
      const auto index_of_max = [&] {
        const Tensor self = Tensor::from<float>(values, Ints{count});
        EXPECT_EQ(elements(call("aten::argmax", self)), (Doubles{static_cast<double>(at)}));
        const Tensor half = call("aten::to.dtype", self, Dtype::F16);
        EXPECT_EQ(elements(call("aten::argmax", half)), (Doubles{static_cast<double>(at)}));
      };
      index_of_max();
      values[place] = values.back() = NAN;
      values[0] = at == 0 ? NAN : INFINITY;
      index_of_max();
    }
  }
}

TEST(Max, OfAll_GivesOneElement) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(elements(call("aten::max", Tensor::from<float>({1, 5, 2, 5}, {2, 2}))), (Doubles{5}));
  EXPECT_TRUE(std::isnan(elements(call("aten::max", Tensor::from<float>({1, nan}, {2}))).at(0)));
  error_of([&] { call("aten::max", Tensor::empty(Ints{0}, Dtype::F32)); });
}

TEST(Max, OfTwo_IsMaximum) {
  const Tensor self = Tensor::from<int64_t>({1, 5}, {2});
  const Tensor result = call("aten::max.other", self, Tensor::from<float>({2.5}, {}));
  EXPECT_EQ(result.dtype(), Dtype::F32);
  EXPECT_EQ(elements(result), (Doubles{2.5, 5}));
}

}  // namespace
}  // namespace tenon::tests
