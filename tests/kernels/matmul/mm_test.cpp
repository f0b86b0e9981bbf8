// SPDX-License-Identifier: Apache-2.0
// aten::mm.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

TEST(Mm, Product_ByHand) {
  const Tensor a = Tensor::from<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Tensor b = Tensor::from<double>({1, 0, 0, 1, 2, 2}, {3, 2});
  EXPECT_EQ(elements(call("aten::mm", a, b)), (Doubles{7, 8, 16, 17}));
}

// Small products use our own loop, and large ones a library.
TEST(Mm, SizesAroundTheLibrarys_GiveTheSameProducts) {
  for (const int64_t n : {1, 3, 9, 10, 11, 12, 33}) {
    for (const Dtype dtype :
         {Dtype::F32, Dtype::F64, Dtype::C64, Dtype::I64, Dtype::F16, Dtype::BF16}) {
      for (const bool turned : {false, true}) {
        const Tensor left = call("aten::arange", Scalar(n * (n + 1)), kw("dtype", Dtype::I64));
        const Tensor a = call("aten::view", left, Ints{n, n + 1});
        Tensor b = call("aten::view", left, Ints{n + 1, n});
        if (turned) b = call("aten::t", call("aten::view", left, Ints{n, n + 1}));
        // Small numbers, so that each dtype can represent the products.
        const auto small = [&](const Tensor& tensor) {
          const Tensor bits = call("aten::gt.Scalar", tensor, Scalar(n));
          return call("aten::_to_copy", bits, kw("dtype", dtype));
        };
        const Tensor product = call("aten::mm", small(a), small(b));
        const Doubles x = elements(call("aten::gt.Scalar", a, Scalar(n)));
        const Doubles y = elements(call("aten::gt.Scalar", b, Scalar(n)));
        Doubles expected;
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (int64_t k = 0; k <= n; ++k) {
              sum += x[static_cast<size_t>(i * (n + 1) + k)] * y[static_cast<size_t>(k * n + j)];
            }
            expected.push_back(sum);
          }
        }
        const Tensor real = dtype == Dtype::C64
                                ? call("aten::_to_copy", product, kw("dtype", Dtype::F64))
                                : product;
        EXPECT_EQ(elements(real), expected) << n << " " << tenon::name_of(dtype) << turned;
      }
    }
  }
}

// Whole vectors of columns and partial ones, four rows at a time and fewer, with either factor
// transposed.
TEST(Mm, FewProducts_OfAllShapes) {
  const auto numbers = [](int64_t rows, int64_t columns, bool turned, Dtype dtype) {
    const Tensor line =
        call("aten::arange", Scalar(double(rows * columns)), kw("dtype", Dtype::F64));
    const Tensor mixed =
        call("aten::sub.Scalar", call("aten::remainder.Scalar", line, Scalar(7.0)), Scalar(3.0));
    const Tensor typed = call("aten::to.dtype", mixed, dtype);
    if (!turned) return call("aten::view", typed, Ints{rows, columns});
    return call("aten::t", call("aten::view", typed, Ints{columns, rows}));
  };
  for (const int64_t m : {1, 3, 4, 9}) {
    for (const int64_t k : {1, 5, 64, 257}) {
      for (const int64_t n : {1, 2, 7, 8, 15, 16, 17, 35}) {
        for (const int turn : {0, 1, 2, 3}) {
          for (const Dtype dtype : {Dtype::F32, Dtype::F64}) {
            const Tensor a = numbers(m, k, (turn & 1) != 0, dtype);
            const Tensor b = numbers(k, n, (turn & 2) != 0, dtype);
            // Integers use a separate loop.
            const Tensor exact = call("aten::mm", call("aten::to.dtype", a, Dtype::I64),
                                      call("aten::to.dtype", b, Dtype::I64));
            ASSERT_EQ(elements(call("aten::mm", a, b)), elements(exact))
                << m << " x " << k << " x " << n << ", turned " << turn;
          }
        }
      }
    }
  }
}

TEST(Mm, BFloat16_AddsInFloat32) {
  // 1 + 2^-8 * 256 terms: added in bfloat16 one by one, the small terms would vanish.
  const Tensor ones = call("aten::full", Ints{1, 257}, Scalar(1.0), kw("dtype", Dtype::BF16));
  const Tensor terms =
      call("aten::full", Ints{257, 1}, Scalar(0.00390625), kw("dtype", Dtype::BF16));
  call("aten::fill_.Scalar", call("aten::select.int", terms, 0, 0), Scalar(1.0));
  EXPECT_EQ(elements(call("aten::mm", ones, terms)), (Doubles{2}));
}

TEST(Mm, ColumnsAndRowsThatDiffer_AreNamed) {
  const Tensor a = Tensor::empty(Ints{2, 3}, Dtype::F32);
  const Error error = error_of([&] { call("aten::mm", a, a); });
  EXPECT_EQ(std::string(error.what()),
            "aten::mm: mat2 must have as many rows as self has columns, got sizes [2, 3] and "
            "[2, 3]");
}

// PyTorch reads elements that it has already written.
TEST(Mm, OutThatIsAFactor_GetsTheProduct) {
  const Tensor square = Tensor::from<float>({1, 2, 3, 4}, {2, 2});
  const Tensor turned = call("aten::t", square);
  call("aten::mm.out", square, turned, kw("out", square));
  EXPECT_EQ(elements(square), (Doubles{5, 11, 11, 25}));
}

TEST(Mm, OutThatIsAFactorOfOtherSizes_IsReadAsItWas) {
  const Tensor left = call("aten::clone", Tensor::from<float>({0, 1, 2, 3, 4, 5}, {3, 2}));
  const Tensor turned = call("aten::t", left);
  call("aten::mm.out", left, turned, kw("out", left));
  EXPECT_EQ(sizes(left), (Ints{3, 3}));
  EXPECT_EQ(elements(left), (Doubles{1, 3, 5, 3, 13, 23, 5, 23, 41}));
  const Tensor right = call("aten::clone", Tensor::from<float>({0, 1, 2, 3, 4, 5}, {3, 2}));
  call("aten::mm.out", call("aten::t", right), right, kw("out", right));
  EXPECT_EQ(sizes(right), (Ints{2, 2}));
  EXPECT_EQ(elements(right), (Doubles{20, 26, 26, 35}));
}

TEST(Mm, OutThatIsAnOwnedViewOfAFactor_GetsTheProduct) {
  const Tensor whole = call("aten::clone", Tensor::from<float>({1, 2, 3, 4}, {2, 2}));
  const Tensor row = call("aten::slice.Tensor", whole, 0, 0, 1, 1);
  call("aten::mm.out", row, whole, kw("out", row));
  EXPECT_EQ(elements(whole), (Doubles{7, 10, 3, 4}));
}

TEST(Mm, HalvesAsFloat32_AreNotRoundedBetween) {
  const Tensor row = call("aten::to.dtype", Tensor::from<float>({2048, 1}, {1, 2}), Dtype::F16);
  const Tensor column = call("aten::to.dtype", Tensor::from<float>({1, 1}, {2, 1}), Dtype::F16);
  const Tensor result = call("aten::mm.dtype", row, column, Dtype::F32);
  EXPECT_EQ(elements(result), (Doubles{2049}));
  EXPECT_EQ(call("aten::mm.dtype", row, column, Dtype::F16).dtype(), Dtype::F16);
}

TEST(Mm, OtherDtypeOfTheResult_IsRefused) {
  const Tensor one = Tensor::from<float>({1}, {1, 1});
  const Error error = error_of([&] { call("aten::mm.dtype", one, one, Dtype::F64); });
  EXPECT_EQ(
      std::string(error.what()),
      "aten::mm.dtype: out_dtype must be float32 like the factors, or float32 for float16 and "
      "bfloat16, got float64");
}

}  // namespace
}  // namespace tenon::tests
