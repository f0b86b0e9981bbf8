// SPDX-License-Identifier: Apache-2.0
// Kernels that run on several threads return bitwise equal results for any number of threads.
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

// Numbers of both signs and several magnitudes.
Tensor many_numbers(const Ints& sizes_of_it, Dtype dtype = Dtype::F32) {
  int64_t count = 1;
  for (const int64_t size : sizes_of_it) count *= size;
  std::vector<double> values(static_cast<size_t>(count));
  uint32_t state = 12345;
  for (double& value : values) {
    state = state * 1664525 + 1013904223;
    value = (static_cast<double>(state >> 8) / 8388608.0 - 1.0) * (1 << (state >> 4) % 7);
  }
  return call("aten::_to_copy", Tensor::from(std::span<const double>(values), sizes_of_it),
              kw("dtype", dtype));
}

Tensor places(const Ints& sizes_of_it, int64_t below) {
  int64_t count = 1;
  for (const int64_t size : sizes_of_it) count *= size;
  std::vector<int64_t> values(static_cast<size_t>(count));
  uint32_t state = 777;
  for (int64_t& value : values) {
    state = state * 1664525 + 1013904223;
    value = state % below;
  }
  return Tensor::from(std::span<const int64_t>(values), sizes_of_it);
}

std::vector<char> bytes_of(const Tensor& tensor) {
  const Tensor dense = call("aten::contiguous", tensor);
  const auto* data = static_cast<const char*>(dense.raw_data());
  return {data, data + dense.numel() * size_of(dense.dtype())};
}

class Threads : public testing::Test {
 protected:
  ~Threads() override { set_num_threads(0); }

  static void expect_same(const char* what, const std::function<Tensor()>& compute) {
    set_num_threads(1);
    const std::vector<char> alone = bytes_of(compute());
    for (const int count : {2, 3}) {
      set_num_threads(count);
      for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(bytes_of(compute()), alone) << what << " on " << count << " threads";
      }
    }
  }
};

TEST_F(Threads, FoldsOfFewResults_AreTheSame) {
  for (const Dtype dtype : {Dtype::F32, Dtype::F64, Dtype::BF16, Dtype::I64}) {
    const Tensor flat = many_numbers({3000017}, dtype);
    const Tensor wide = many_numbers({5, 600000}, dtype);
    const Tensor tall = many_numbers({4000, 700}, dtype);
    for (const Tensor& self : {flat, wide, tall}) {
      for (const char* name : {"aten::sum", "aten::argmax", "aten::max"}) {
        expect_same(name, [&] { return call(name, self); });
      }
    }
    for (const Tensor& self : {wide, tall}) {
      for (const int64_t dim : {0, 1}) {
        expect_same("sum.dim_IntList",
                    [&] { return call("aten::sum.dim_IntList", self, Ints{dim}); });
        expect_same("amax", [&] { return call("aten::amax", self, Ints{dim}); });
        expect_same("argmax", [&] { return call("aten::argmax", self, dim); });
      }
    }
  }
}

// The last part has fewer elements, the largest element occurs twice, and there is a NaN.
TEST_F(Threads, PartsOfAFold_AreMergedInOrder) {
  std::vector<float> values(2000003, 1.0F);
  values[1999999] = values[700001] = 5.0F;
  const Tensor self = Tensor::from(std::span<const float>(values), Ints{2000003});
  set_num_threads(2);
  EXPECT_EQ(elements(call("aten::argmax", self)), (Doubles{700001}));
  EXPECT_EQ(elements(call("aten::sum", self)), (Doubles{2000011}));
  values[1500000] = std::numeric_limits<float>::quiet_NaN();
  const Tensor with_nan = Tensor::from(std::span<const float>(values), Ints{2000003});
  EXPECT_EQ(elements(call("aten::argmax", with_nan)), (Doubles{1500000}));
  EXPECT_NE(call("aten::amax", with_nan).data<float>()[0],
            call("aten::amax", with_nan).data<float>()[0]);
}

TEST_F(Threads, SumsOfAColumn_AreNearThoseOfASlowLoop) {
  const Tensor self = many_numbers({5000, 300});
  set_num_threads(2);
  const Tensor sums = call("aten::sum.dim_IntList", self, Ints{0});
  for (int64_t column = 0; column < 300; ++column) {
    double sum = 0, magnitude = 0;
    for (int64_t row = 0; row < 5000; ++row) {
      const double term = self.data<float>()[row * 300 + column];
      sum += term;
      magnitude += std::abs(term);
    }
    EXPECT_NEAR(sums.data<float>()[column], sum, magnitude * 0x5p-24) << column;
  }
}

TEST_F(Threads, LinesInOrderAndPlaces_AreTheSame) {
  const Tensor self = many_numbers({40, 9001});
  const Tensor index = places({40, 9001}, 9001);
  expect_same("sort", [&] { return call("aten::sort", self); });
  expect_same("cumsum", [&] { return call("aten::cumsum", self, int64_t{1}); });
  expect_same("cumsum", [&] { return call("aten::cumsum", self, int64_t{0}); });
  expect_same("gather", [&] { return call("aten::gather", self, int64_t{1}, index); });
  expect_same("scatter_add",
              [&] { return call("aten::scatter_add", self, int64_t{1}, index, self); });
  expect_same("index_select",
              [&] { return call("aten::index_select", self, int64_t{0}, places({500}, 40)); });
}

TEST_F(Threads, ProductsOfFloats_AreTheSame) {
  for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F16}) {
    const Tensor a = many_numbers({200, 300}, dtype);
    const Tensor b = many_numbers({300, 500}, dtype);
    expect_same("mm", [&] { return call("aten::mm", a, b); });
    expect_same("mm", [&] { return call("aten::mm", call("aten::t", b), call("aten::t", a)); });
  }
  const Tensor long_rows = many_numbers({700, 64}), long_columns = many_numbers({64, 900});
  expect_same("mm of long sides", [&] { return call("aten::mm", long_rows, long_columns); });
  const Tensor c = many_numbers({9, 64, 80}), d = many_numbers({9, 80, 70});
  expect_same("bmm", [&] { return call("aten::bmm", c, d); });
}

}  // namespace
}  // namespace tenon::tests
