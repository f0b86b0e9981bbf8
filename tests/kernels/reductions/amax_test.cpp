// SPDX-License-Identifier: Apache-2.0
// aten::amax.
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Amax, NoElements_AreAnIndexError) {
  EXPECT_EQ(error_of([] {
              call("aten::amax", Tensor::empty(Ints{0, 3}, Dtype::F32), Ints{0});
            }).code(),
            TENON_ERROR_INDEX);
  EXPECT_EQ(sizes(call("aten::amax", Tensor::empty(Ints{0, 3}, Dtype::F32), Ints{1})), (Ints{0}));
}

// Vector lanes and the remainder: the largest element and NaN are found at any position.
template <class T>
void expect_extremes_anywhere() {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  for (const int64_t count : {1, 2, 15, 16, 31, 32, 33, 64, 77, 200}) {
    for (int64_t at = 0; at < count; ++at) {
      std::vector<T> numbers(static_cast<size_t>(count), -kInfinity);
      const auto tensor = [&] { return Tensor::from(std::span<const T>(numbers), Ints{1, count}); };
      numbers[static_cast<size_t>(at)] = T(-3);
      EXPECT_EQ(elements(call("aten::amax", tensor(), Ints{1})), (Doubles{-3})) << count << at;
      EXPECT_EQ(elements(call("aten::amin", call("aten::neg", tensor()), Ints{1})), (Doubles{3}));
      numbers[static_cast<size_t>(at)] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_TRUE(std::isnan(elements(call("aten::amax", tensor(), Ints{1}))[0])) << count << at;
      EXPECT_TRUE(std::isnan(elements(call("aten::amin", tensor(), Ints{1}))[0])) << count << at;
    }
  }
}

TEST(Amax, Extremes_AreFoundAnywhere) {
  expect_extremes_anywhere<float>();
  expect_extremes_anywhere<double>();
}

}  // namespace
}  // namespace tenon::tests
