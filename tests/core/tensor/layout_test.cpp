// SPDX-License-Identifier: Apache-2.0
#include "tensor/layout.h"

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using testing::dims;
using testing::error_of;
using testing::Ints;

Ints strides_for(int64_t format, const Ints& sizes) {
  Ints strides(sizes.size(), -1);
  memory_format_strides(format, dims(sizes), strides.data());
  return strides;
}

int64_t numel(const Ints& sizes) { return checked_numel("f", dims(sizes)); }
int64_t extent(const Ints& sizes, const Ints& strides) {
  return checked_extent("f", dims(sizes), dims(strides));
}

TEST(Layout, Numel) {
  EXPECT_EQ(numel({}), 1);
  EXPECT_EQ(numel({0}), 0);
  EXPECT_EQ(numel({2, 3, 4}), 24);
  EXPECT_EQ(numel({3, 0, 2}), 0);
  EXPECT_EQ(numel({int64_t{1} << 62}), int64_t{1} << 62);
}

TEST(Layout, NumelBad_IsRefused) {
  EXPECT_EQ(error_of(TENON_ERROR_INVALID_ARGUMENT,
                     [] {
                       numel({2, -1});
                     }),
            "f: size of dim 1 must be >= 0, got -1");
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { numel({int64_t{1} << 40, int64_t{1} << 40}); });
  // A zero does not hide the overflow, because strides would overflow too.
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { numel({0, int64_t{1} << 40, int64_t{1} << 40}); });
  EXPECT_NE(error_of(TENON_ERROR_INVALID_ARGUMENT, [] { numel(Ints(65, 1)); }).find("64, got 65"),
            std::string::npos);
  EXPECT_EQ(numel(Ints(64, 1)), 1);
}

TEST(Layout, Extent) {
  EXPECT_EQ(extent({}, {}), 1);
  EXPECT_EQ(extent({2, 3}, {3, 1}), 6);
  EXPECT_EQ(extent({2, 3}, {1, 2}), 6);
  EXPECT_EQ(extent({5}, {0}), 1);
  EXPECT_EQ(extent({3}, {10}), 21);
  EXPECT_EQ(extent({0, 7}, {100, 100}), 0);
  EXPECT_EQ(extent({1}, {INT64_MAX}), 1);
}

TEST(Layout, ExtentBad_IsRefused) {
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { extent({2}, {-1}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { extent({3}, {INT64_MAX}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { extent({2}, {INT64_MAX}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { extent({2, 2}, {INT64_MAX - 1, 5}); });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] { checked_bytes("f", int64_t{1} << 61, 8); });
  EXPECT_EQ(checked_bytes("f", int64_t{1} << 59, 8), int64_t{1} << 62);
}

// torch.empty(sizes, memory_format=...).stride()
TEST(Layout, StridesOfMemoryFormats) {
  EXPECT_EQ(strides_for(TENON_MEMORY_FORMAT_CONTIGUOUS, {2, 3, 4}), (Ints{12, 4, 1}));
  EXPECT_EQ(strides_for(TENON_MEMORY_FORMAT_CONTIGUOUS, {}), Ints{});
  EXPECT_EQ(strides_for(TENON_MEMORY_FORMAT_CONTIGUOUS, {2, 0, 3}), (Ints{3, 3, 1}));
  EXPECT_EQ(strides_for(TENON_MEMORY_FORMAT_CHANNELS_LAST, {2, 3, 4, 5}), (Ints{60, 1, 15, 3}));
  EXPECT_EQ(strides_for(TENON_MEMORY_FORMAT_CHANNELS_LAST_3D, {2, 3, 4, 5, 6}),
            (Ints{360, 1, 90, 18, 3}));
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] {
    strides_for(TENON_MEMORY_FORMAT_CHANNELS_LAST, {2, 3});
  });
  error_of(TENON_ERROR_INVALID_ARGUMENT, [] {
    strides_for(TENON_MEMORY_FORMAT_PRESERVE, {2, 3, 4, 5});
  });
}

TEST(Layout, RowMajor) {
  const auto row_major = [](const Ints& sizes, const Ints& strides) {
    return is_row_major(dims(sizes), dims(strides));
  };
  EXPECT_TRUE(row_major({}, {}));
  EXPECT_TRUE(row_major({2, 3}, {3, 1}));
  EXPECT_FALSE(row_major({2, 3}, {1, 2}));
  EXPECT_FALSE(row_major({4}, {2}));
  EXPECT_FALSE(row_major({4}, {0}));
  EXPECT_TRUE(row_major({1}, {17}));
  EXPECT_TRUE(row_major({2, 1, 3}, {3, 99, 1}));
  EXPECT_TRUE(row_major({0, 3}, {5, 7}));
}

TEST(Layout, MemoryFormatIsRecognised) {
  const Ints sizes{2, 3, 4, 5};
  const Ints last{60, 1, 15, 3};
  EXPECT_TRUE(has_memory_format(TENON_MEMORY_FORMAT_CHANNELS_LAST, dims(sizes), dims(last)));
  EXPECT_FALSE(has_memory_format(TENON_MEMORY_FORMAT_CONTIGUOUS, dims(sizes), dims(last)));
  EXPECT_FALSE(has_memory_format(TENON_MEMORY_FORMAT_CHANNELS_LAST_3D, dims(sizes), dims(last)));
  EXPECT_FALSE(
      has_memory_format(TENON_MEMORY_FORMAT_CHANNELS_LAST, dims(sizes), dims({60, 20, 5, 1})));
}

TEST(Layout, DenseInAnyOrder) {
  const auto dense = [](const Ints& sizes, const Ints& strides) {
    return is_dense(dims(sizes), dims(strides));
  };
  EXPECT_TRUE(dense({}, {}));
  EXPECT_TRUE(dense({2, 3}, {1, 2}));
  EXPECT_TRUE(dense({2, 3, 4}, {4, 8, 1}));
  EXPECT_TRUE(dense({0, 3}, {9, 9}));
  EXPECT_FALSE(dense({2, 3}, {4, 1}));
  EXPECT_FALSE(dense({2, 3}, {0, 1}));
}

TEST(Layout, OverlapWithItself) {
  const auto overlaps = [](const Ints& sizes, const Ints& strides) {
    return may_overlap_itself(dims(sizes), dims(strides));
  };
  EXPECT_FALSE(overlaps({}, {}));
  EXPECT_FALSE(overlaps({2, 3}, {3, 1}));
  EXPECT_FALSE(overlaps({2, 3}, {10, 3}));
  EXPECT_FALSE(overlaps({1, 3}, {0, 1}));
  EXPECT_FALSE(overlaps({0, 3}, {0, 0}));
  EXPECT_TRUE(overlaps({4}, {0}));
  EXPECT_TRUE(overlaps({3, 3}, {1, 1}));
  EXPECT_TRUE(overlaps({2, 3}, {2, 1}));
}

}  // namespace
}  // namespace tenon::tensor
