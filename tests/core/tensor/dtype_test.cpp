// SPDX-License-Identifier: Apache-2.0
#include "tensor/dtype.h"

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using testing::error_of;

constexpr tenon_dtype kAll[] = {TENON_DTYPE_U8,   TENON_DTYPE_I8,   TENON_DTYPE_I16,
                                TENON_DTYPE_I32,  TENON_DTYPE_I64,  TENON_DTYPE_F16,
                                TENON_DTYPE_BF16, TENON_DTYPE_F32,  TENON_DTYPE_F64,
                                TENON_DTYPE_C64,  TENON_DTYPE_C128, TENON_DTYPE_BOOL};

// torch.promote_types (2.15) as indices into kAll; rows and columns are in the order of kAll.
constexpr int kPromoted[12][12] = {{0, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0},
                                   {2, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1},
                                   {2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2},
                                   {3, 3, 3, 3, 4, 5, 6, 7, 8, 9, 10, 3},
                                   {4, 4, 4, 4, 4, 5, 6, 7, 8, 9, 10, 4},
                                   {5, 5, 5, 5, 5, 5, 7, 7, 8, 9, 10, 5},
                                   {6, 6, 6, 6, 6, 7, 6, 7, 8, 9, 10, 6},
                                   {7, 7, 7, 7, 7, 7, 7, 7, 8, 9, 10, 7},
                                   {8, 8, 8, 8, 8, 8, 8, 8, 8, 10, 10, 8},
                                   {9, 9, 9, 9, 9, 9, 9, 9, 10, 9, 10, 9},
                                   {10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10},
                                   {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};

TEST(Dtype, PromotesAsPyTorch) {
  for (int a = 0; a < 12; ++a) {
    for (int b = 0; b < 12; ++b) {
      EXPECT_EQ(promote_dtypes(kAll[a], kAll[b]), kAll[kPromoted[a][b]])
          << dtype_name(kAll[a]) << " with " << dtype_name(kAll[b]);
    }
  }
}

TEST(Dtype, PromoteFloat8_OnlyWithItself) {
  EXPECT_EQ(promote_dtypes(TENON_DTYPE_F8_E5M2, TENON_DTYPE_F8_E5M2), TENON_DTYPE_F8_E5M2);
  EXPECT_NE(error_of(TENON_ERROR_NOT_SUPPORTED,
                     [] { promote_dtypes(TENON_DTYPE_F8_E5M2, TENON_DTYPE_F32); })
                .find("float8_e5m2 and float32"),
            std::string::npos);
  error_of(TENON_ERROR_NOT_SUPPORTED,
           [] { promote_dtypes(TENON_DTYPE_BOOL, TENON_DTYPE_F8_E4M3FN); });
}

TEST(Dtype, PromoteWideUnsigned_OnlyWithFloats) {
  for (tenon_dtype wide : {TENON_DTYPE_U16, TENON_DTYPE_U32, TENON_DTYPE_U64}) {
    EXPECT_EQ(promote_dtypes(wide, wide), wide);
    for (tenon_dtype other : {TENON_DTYPE_F16, TENON_DTYPE_BF16, TENON_DTYPE_F32}) {
      EXPECT_EQ(promote_dtypes(wide, other), other);
      EXPECT_EQ(promote_dtypes(other, wide), other);
    }
    for (tenon_dtype other : {TENON_DTYPE_BOOL, TENON_DTYPE_U8, TENON_DTYPE_I64, TENON_DTYPE_C64}) {
      error_of(TENON_ERROR_NOT_SUPPORTED, [=] { promote_dtypes(wide, other); });
      error_of(TENON_ERROR_NOT_SUPPORTED, [=] { promote_dtypes(other, wide); });
    }
  }
  error_of(TENON_ERROR_NOT_SUPPORTED, [] { promote_dtypes(TENON_DTYPE_U16, TENON_DTYPE_U64); });
}

TEST(Dtype, PromoteComplex32_StaysWithHalfAndIntegers) {
  for (tenon_dtype other :
       {TENON_DTYPE_BOOL, TENON_DTYPE_U8, TENON_DTYPE_I64, TENON_DTYPE_F16, TENON_DTYPE_C32}) {
    EXPECT_EQ(promote_dtypes(TENON_DTYPE_C32, other), TENON_DTYPE_C32);
  }
  for (tenon_dtype other : {TENON_DTYPE_BF16, TENON_DTYPE_F32, TENON_DTYPE_C64}) {
    EXPECT_EQ(promote_dtypes(other, TENON_DTYPE_C32), TENON_DTYPE_C64);
  }
  EXPECT_EQ(promote_dtypes(TENON_DTYPE_C32, TENON_DTYPE_F64), TENON_DTYPE_C128);
}

TEST(Dtype, PromoteUnknown_IsRefused) {
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { promote_dtypes(12, TENON_DTYPE_F32); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { promote_dtypes(TENON_DTYPE_F32, -1); });
}

TEST(Dtype, Sizes) {
  EXPECT_EQ(dtype_size(TENON_DTYPE_BOOL), 1);
  EXPECT_EQ(dtype_size(TENON_DTYPE_U8), 1);
  EXPECT_EQ(dtype_size(TENON_DTYPE_I8), 1);
  EXPECT_EQ(dtype_size(TENON_DTYPE_F8_E5M2), 1);
  EXPECT_EQ(dtype_size(TENON_DTYPE_F8_E4M3FN), 1);
  EXPECT_EQ(dtype_size(TENON_DTYPE_I16), 2);
  EXPECT_EQ(dtype_size(TENON_DTYPE_F16), 2);
  EXPECT_EQ(dtype_size(TENON_DTYPE_BF16), 2);
  EXPECT_EQ(dtype_size(TENON_DTYPE_I32), 4);
  EXPECT_EQ(dtype_size(TENON_DTYPE_F32), 4);
  EXPECT_EQ(dtype_size(TENON_DTYPE_I64), 8);
  EXPECT_EQ(dtype_size(TENON_DTYPE_F64), 8);
  EXPECT_EQ(dtype_size(TENON_DTYPE_C64), 8);
  EXPECT_EQ(dtype_size(TENON_DTYPE_C32), 4);
  EXPECT_EQ(dtype_size(TENON_DTYPE_U16), 2);
  EXPECT_EQ(dtype_size(TENON_DTYPE_U32), 4);
  EXPECT_EQ(dtype_size(TENON_DTYPE_U64), 8);
  EXPECT_EQ(dtype_size(TENON_DTYPE_C128), 16);
  for (tenon_dtype unknown : {-1, 12, 13, 14, 16, 22, 25, 26, 30, 1 << 30}) {
    EXPECT_EQ(dtype_size(unknown), 0) << unknown;
    EXPECT_STREQ(dtype_name(unknown), "unknown");
    EXPECT_EQ(dtype_traits(unknown), 0u);
  }
}

TEST(Dtype, NamesAreFound) {
  for (tenon_dtype dtype : kAll) EXPECT_EQ(find_dtype(dtype_name(dtype)), dtype);
  EXPECT_EQ(find_dtype("half"), TENON_DTYPE_F16);
  EXPECT_EQ(find_dtype("long"), TENON_DTYPE_I64);
  EXPECT_EQ(find_dtype("float"), TENON_DTYPE_F32);
  EXPECT_EQ(find_dtype("cdouble"), TENON_DTYPE_C128);
  EXPECT_EQ(find_dtype("float8_e4m3fn"), TENON_DTYPE_F8_E4M3FN);
  for (tenon_dtype dtype : {TENON_DTYPE_U16, TENON_DTYPE_U32, TENON_DTYPE_U64, TENON_DTYPE_C32}) {
    EXPECT_EQ(find_dtype(dtype_name(dtype)), dtype);
  }
  EXPECT_EQ(find_dtype("chalf"), TENON_DTYPE_C32);
  EXPECT_EQ(find_dtype("float33"), TENON_DTYPE_NONE);
  EXPECT_EQ(find_dtype(""), TENON_DTYPE_NONE);
}

TEST(Dtype, Traits) {
  EXPECT_EQ(dtype_traits(TENON_DTYPE_BOOL), 0u);
  EXPECT_EQ(dtype_traits(TENON_DTYPE_U8), TENON_DTYPE_IS_INTEGRAL);
  EXPECT_EQ(dtype_traits(TENON_DTYPE_I32), TENON_DTYPE_IS_INTEGRAL | TENON_DTYPE_IS_SIGNED);
  EXPECT_EQ(dtype_traits(TENON_DTYPE_BF16), TENON_DTYPE_IS_FLOATING | TENON_DTYPE_IS_SIGNED);
  EXPECT_EQ(dtype_traits(TENON_DTYPE_C64), TENON_DTYPE_IS_COMPLEX | TENON_DTYPE_IS_SIGNED);
}

TEST(Dtype, DefaultIsFloating) {
  EXPECT_EQ(default_dtype(), TENON_DTYPE_F32);
  EXPECT_EQ(default_complex_dtype(), TENON_DTYPE_C64);
  set_default_dtype(TENON_DTYPE_F64);
  EXPECT_EQ(default_dtype(), TENON_DTYPE_F64);
  EXPECT_EQ(default_complex_dtype(), TENON_DTYPE_C128);
  error_of(TENON_ERROR_TYPE, [] { set_default_dtype(TENON_DTYPE_I64); });
  error_of(TENON_ERROR_TYPE, [] { set_default_dtype(TENON_DTYPE_C64); });
  EXPECT_EQ(default_dtype(), TENON_DTYPE_F64);
  set_default_dtype(TENON_DTYPE_F32);
}

}  // namespace
}  // namespace tenon::tensor
