// SPDX-License-Identifier: Apache-2.0
// aten::sort and aten::argsort.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// Few different values, hence many equal ones; floats include NaN and signed zeros.
Tensor many_equals(Dtype dtype, int64_t count) {
  const bool is_float = dtype == Dtype::F32 || dtype == Dtype::F64 || dtype == Dtype::BF16;
  std::vector<double> values(static_cast<size_t>(count));
  uint32_t state = 99;
  for (double& value : values) {
    state = state * 1664525 + 1013904223;
    value = static_cast<double>(state >> 8) / 65536.0 - (dtype == Dtype::U8 ? 0 : 128);
    if (is_float && state >> 28 == 3) value = std::numeric_limits<double>::quiet_NaN();
    if (is_float && state >> 28 == 4) value = state & 256 ? 0.0 : -0.0;
    if (is_float && state >> 28 == 5) value = std::numeric_limits<double>::infinity();
    if (is_float && state >> 28 == 6) value = -std::numeric_limits<double>::infinity();
    value = std::trunc(value);
  }
  return call("aten::_to_copy", Tensor::from(std::span<const double>(values), Ints{count}),
              kw("dtype", dtype));
}

// NaN is larger than all numbers, and zeros are equal.
bool is_less(double a, double b) { return std::isnan(a) ? false : std::isnan(b) || a < b; }

// Lengths on both sides of the limit for long lines.
TEST(Sort, EqualsOfAnyDtype_StayInTheirOrder) {
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I64, Dtype::I32, Dtype::I16,
                            Dtype::I8, Dtype::U8}) {
    for (const int64_t count : {100, 3000}) {
      const Tensor self = many_equals(dtype, count);
      const Doubles values = elements(self);
      for (const bool descending : {false, true}) {
        Ints expected(static_cast<size_t>(count));
        std::iota(expected.begin(), expected.end(), 0);
        std::ranges::stable_sort(expected, [&](int64_t a, int64_t b) {
          const auto at = [&](int64_t i) { return values[static_cast<size_t>(i)]; };
          return descending ? is_less(at(b), at(a)) : is_less(at(a), at(b));
        });
        const auto results = Op("aten::sort")(self, int64_t{0}, descending);
        const Doubles sorted = elements(results.at(0).tensor());
        const Doubles indices = elements(results.at(1).tensor());
        for (size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(indices[i], static_cast<double>(expected[i])) << i << " of " << count;
          const double value = values[static_cast<size_t>(expected[i])];
          EXPECT_TRUE(std::isnan(value)
                          ? std::isnan(sorted[i])
                          : sorted[i] == value && std::signbit(sorted[i]) == std::signbit(value));
        }
        // topk of k elements returns the values of the first k of the sorted line. Which of several
        // equal elements it returns, and in which order, follows PyTorch and is not stable.
        for (const int64_t kept : {7, 90}) {
          const auto first = Op("aten::topk")(self, kept, int64_t{0}, descending, true);
          Doubles places = elements(first.at(1).tensor());
          for (size_t i = 0; i < places.size(); ++i) {
            const double value = values[static_cast<size_t>(places[i])];
            EXPECT_TRUE(std::isnan(sorted[i]) ? std::isnan(value) : value == sorted[i])
                << i << " of " << kept << " of " << count;
          }
          std::ranges::sort(places);
          EXPECT_EQ(std::ranges::adjacent_find(places), places.end()) << kept << " of " << count;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon::tests
