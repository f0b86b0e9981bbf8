// SPDX-License-Identifier: Apache-2.0
// Expected texts are str() of the same tensors in PyTorch 2.15, without "torch." before dtypes.
#include "tensor/printer.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

template <class T>
TensorPtr counted(tenon_dtype dtype, const Ints& sizes) {
  std::vector<T> elements(static_cast<size_t>(checked_numel("counted", dims(sizes))));
  std::iota(elements.begin(), elements.end(), T(0));
  return filled<T>(dtype, sizes, elements);
}

std::string text_of(const Ints& sizes, const std::vector<float>& elements) {
  return print_tensor(*floats(sizes, elements));
}

TEST(Printer, Floats) {
  EXPECT_EQ(text_of({}, {3.5f}), "tensor(3.5000)");
  EXPECT_EQ(text_of({2}, {1, 2}), "tensor([1., 2.])");
  EXPECT_EQ(text_of({2, 2}, {1, 2, 3, 4}), "tensor([[1., 2.],\n        [3., 4.]])");
  EXPECT_EQ(text_of({3}, {1.5f, -2, 0}), "tensor([ 1.5000, -2.0000,  0.0000])");
  EXPECT_EQ(text_of({2}, {-0.0f, 1.5f}), "tensor([-0.0000, 1.5000])");
  EXPECT_EQ(text_of({1, 1, 1}, {1}), "tensor([[[1.]]])");
  EXPECT_EQ(text_of({2}, {0, 0}), "tensor([0., 0.])");
  EXPECT_EQ(text_of({2}, {12345.678f, 100}), "tensor([12345.6777,   100.0000])");
}

TEST(Printer, NanAndInfinity) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(text_of({4}, {kNan, INFINITY, -INFINITY, 1}), "tensor([nan, inf, -inf, 1.])");
  EXPECT_EQ(text_of({2}, {-kNan, kNan}), "tensor([nan, nan])");
}

TEST(Printer, ScientificWhereRangesAreWide) {
  EXPECT_EQ(text_of({2}, {1e-5f, 1}), "tensor([1.0000e-05, 1.0000e+00])");
  EXPECT_EQ(text_of({2}, {1e9f, 1}), "tensor([1.0000e+09, 1.0000e+00])");
  EXPECT_EQ(text_of({1}, {123456789.0f}), "tensor([1.2346e+08])");
  EXPECT_EQ(print_tensor(*filled<double>(TENON_DTYPE_F64, {1}, {1.5e300})),
            "tensor([1.5000e+300], dtype=float64)");
  EXPECT_EQ(print_tensor(*filled<double>(TENON_DTYPE_F64, {2}, {0.1, 1000})),
            "tensor([1.0000e-01, 1.0000e+03], dtype=float64)");
}

TEST(Printer, IntegersAndBools) {
  EXPECT_EQ(print_tensor(*filled<int64_t>(TENON_DTYPE_I64, {}, {-7})), "tensor(-7)");
  EXPECT_EQ(print_tensor(*filled<int32_t>(TENON_DTYPE_I32, {2, 2}, {1, -20, 300, 4})),
            "tensor([[  1, -20],\n        [300,   4]], dtype=int32)");
  EXPECT_EQ(print_tensor(*filled<uint8_t>(TENON_DTYPE_U8, {2}, {255, 1})),
            "tensor([255,   1], dtype=uint8)");
  EXPECT_EQ(print_tensor(*filled<uint8_t>(TENON_DTYPE_BOOL, {2}, {1, 0})),
            "tensor([ True, False])");
  EXPECT_EQ(
      print_tensor(*counted<int64_t>(TENON_DTYPE_I64, {2, 3, 4})),
      "tensor([[[ 0,  1,  2,  3],\n         [ 4,  5,  6,  7],\n         [ 8,  9, 10, 11]],\n\n"
      "        [[12, 13, 14, 15],\n         [16, 17, 18, 19],\n         [20, 21, 22, 23]]])");
}

TEST(Printer, Complex) {
  using C64 = std::complex<float>;
  using C128 = std::complex<double>;
  EXPECT_EQ(print_tensor(*filled<C64>(TENON_DTYPE_C64, {2}, {C64(1, 2), C64(3.5f, -1)})),
            "tensor([1.0000+2.j, 3.5000-1.j])");
  EXPECT_EQ(print_tensor(*filled<C128>(TENON_DTYPE_C128, {}, {C128(1, -2)})),
            "tensor(1.-2.j, dtype=complex128)");
  EXPECT_EQ(print_tensor(*filled<C64>(TENON_DTYPE_C64, {1}, {C64(NAN, -0.0f)})),
            "tensor([nan-0.j])");
}

TEST(Printer, SmallFloats) {
  EXPECT_EQ(print_tensor(*filled<uint16_t>(TENON_DTYPE_F16, {2}, {0x3c00, 0x4000})),
            "tensor([1., 2.], dtype=float16)");
  EXPECT_EQ(print_tensor(*filled<uint16_t>(TENON_DTYPE_BF16, {2}, {0x3f80, 0x4000})),
            "tensor([1., 2.], dtype=bfloat16)");
  EXPECT_EQ(print_tensor(*filled<uint8_t>(TENON_DTYPE_F8_E5M2, {1}, {0x3e})),
            "tensor([1.5000], dtype=float8_e5m2)");
  EXPECT_EQ(print_tensor(*filled<uint8_t>(TENON_DTYPE_F8_E4M3FN, {1}, {0x3c})),
            "tensor([1.5000], dtype=float8_e4m3fn)");
}

TEST(Printer, EmptyShowsWhatElementsWould) {
  EXPECT_EQ(text_of({0}, {}), "tensor([])");
  EXPECT_EQ(text_of({2, 0}, {}), "tensor([], size=(2, 0))");
  EXPECT_EQ(print_tensor(*empty({0}, TENON_DTYPE_I64)), "tensor([], dtype=int64)");
  EXPECT_EQ(print_tensor(*empty({2, 0}, TENON_DTYPE_I64)), "tensor([], size=(2, 0), dtype=int64)");
}

TEST(Printer, MetaShowsSizeOnly) {
  EXPECT_EQ(print_tensor(*empty({2, 3}, TENON_DTYPE_F32, kMeta)),
            "tensor(..., device='meta', size=(2, 3))");
  EXPECT_EQ(print_tensor(*empty({2}, TENON_DTYPE_I64, kMeta)),
            "tensor(..., device='meta', size=(2,), dtype=int64)");
  EXPECT_EQ(print_tensor(*empty({}, TENON_DTYPE_F32, kMeta)),
            "tensor(..., device='meta', size=())");
  EXPECT_EQ(print_tensor(*Tensor::undefined()), "tensor(undefined)");
}

TEST(Printer, LongVectorsBreakLines) {
  EXPECT_EQ(print_tensor(*counted<int64_t>(TENON_DTYPE_I64, {30})),
            "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
            "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])");
  EXPECT_EQ(
      print_tensor(*counted<double>(TENON_DTYPE_F64, {1, 25})),
      "tensor([[ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13.,\n"
      "         14., 15., 16., 17., 18., 19., 20., 21., 22., 23., 24.]],\n       dtype=float64)");
}

TEST(Printer, ManyElementsAreSummarised) {
  EXPECT_EQ(print_tensor(*counted<int64_t>(TENON_DTYPE_I64, {1001})),
            "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
  EXPECT_EQ(print_tensor(*counted<float>(TENON_DTYPE_F32, {1001})),
            "tensor([   0.,    1.,    2.,  ...,  998.,  999., 1000.])");
  EXPECT_EQ(print_tensor(*counted<int64_t>(TENON_DTYPE_I64, {40, 50})),
            "tensor([[   0,    1,    2,  ...,   47,   48,   49],\n"
            "        [  50,   51,   52,  ...,   97,   98,   99],\n"
            "        [ 100,  101,  102,  ...,  147,  148,  149],\n"
            "        ...,\n"
            "        [1850, 1851, 1852,  ..., 1897, 1898, 1899],\n"
            "        [1900, 1901, 1902,  ..., 1947, 1948, 1949],\n"
            "        [1950, 1951, 1952,  ..., 1997, 1998, 1999]])");
}

TEST(Printer, StridesAreFollowed) {
  const TensorPtr base = counted<int64_t>(TENON_DTYPE_I64, {2, 3});
  EXPECT_EQ(print_tensor(*new_alias(*base, dims({3, 2}), dims({1, 3}), 0)),
            "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
  EXPECT_EQ(print_tensor(*new_alias(*base, dims({3}), dims({0}), 4)), "tensor([4, 4, 4])");
  EXPECT_EQ(print_tensor(*new_alias(*base, dims({2}), dims({3}), 2)), "tensor([2, 5])");
}

// An expanded view can have more elements than memory has bytes.
TEST(Printer, ManyDims_ShowFirstSlicesOnly) {
  const TensorPtr one = counted<int64_t>(TENON_DTYPE_I64, {1});
  const Ints twos(40, 2), still(40, 0);
  const std::string text = print_tensor(*new_alias(*one, twos, still, 0));
  EXPECT_EQ(text.substr(0, 7 + 40), "tensor(" + std::string(40, '['));
  EXPECT_EQ(std::count(text.begin(), text.end(), '0'), 1 << 16);
  // Each of the 24 outer dims ends with "...".
  size_t gaps = 0;
  for (size_t at = 0; (at = text.find("...", at)) != std::string::npos; at += 3) ++gaps;
  EXPECT_EQ(gaps, 24u);
}

}  // namespace
}  // namespace tenon::tensor
