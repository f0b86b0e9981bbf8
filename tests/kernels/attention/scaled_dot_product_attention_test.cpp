// SPDX-License-Identifier: Apache-2.0
// aten::scaled_dot_product_attention.
#include "kernels/golden.h"

namespace tenon::tests {
namespace {

constexpr const char* kOp = "aten::scaled_dot_product_attention";

Tensor rows(const std::vector<float>& elements, const Ints& sizes) {
  return Tensor::from<float>(std::span<const float>(elements), sizes);
}

TEST(ScaledDotProductAttention, EqualKeys_GiveTheMeanOfValues) {
  const Tensor keys = rows({1, 2, 1, 2}, {2, 2});
  const Tensor result = call(kOp, rows({3, 4}, {1, 2}), keys, rows({10, 0, 20, 4}, {2, 2}));
  EXPECT_EQ(elements(result), (Doubles{15, 2}));
}

TEST(ScaledDotProductAttention, Causal_LooksAtNoLaterKey) {
  const Tensor same = rows({1, 1}, {2, 1});
  const Tensor result = call(kOp, same, same, rows({10, 20}, {2, 1}), kw("is_causal", true));
  EXPECT_EQ(elements(result), (Doubles{10, 15}));
}

TEST(ScaledDotProductAttention, MaskOfBools_HidesWhereItIsFalse) {
  const Tensor same = rows({1, 1}, {2, 1});
  const Tensor mask = call("aten::gt.Scalar", rows({0, 1, 0, 0}, {2, 2}), 0);
  const Tensor result = call(kOp, same, same, rows({10, 20}, {2, 1}), kw("attn_mask", mask));
  // A query whose keys are all masked has a result of zeros.
  EXPECT_EQ(elements(result), (Doubles{20, 0}));
}

TEST(ScaledDotProductAttention, ScaleOfZero_LooksAtAllAlike) {
  const Tensor query = rows({1, 5}, {2, 1});
  const Tensor result = call(kOp, query, query, rows({10, 20}, {2, 1}), kw("scale", 0.0));
  EXPECT_EQ(elements(result), (Doubles{15, 15}));
}

TEST(ScaledDotProductAttention, FewerHeadsOfKeys_AreShared) {
  const Tensor query = rows({1, 2, 3, 4}, {4, 1, 1});
  const Tensor keys = rows({1, 1}, {2, 1, 1});
  const Tensor result = call(kOp, query, keys, rows({10, 20}, {2, 1, 1}), kw("enable_gqa", true));
  EXPECT_EQ(elements(result), (Doubles{10, 10, 20, 20}));
}

TEST(ScaledDotProductAttention, WhatDoesNotFit_IsRefused) {
  const Tensor matrix = meta({2, 2});
  EXPECT_EQ(error_of([&] { call(kOp, meta({2}), matrix, matrix); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(error_of([&] {
              call(kOp, matrix, matrix, meta({2, 2}, Dtype::F64));
            }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(error_of([&] {
              call(kOp, matrix, matrix, matrix, kw("attn_mask", matrix), kw("is_causal", true));
            }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(error_of([&] { call(kOp, matrix, matrix, matrix, kw("dropout_p", 1.5)); }).code(),
            TENON_ERROR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace tenon::tests
