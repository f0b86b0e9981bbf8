// SPDX-License-Identifier: Apache-2.0
// Compares tenon::strided_scatter with a plain loop over the elements of the view.
#include <algorithm>

#include "kernels/golden.h"

namespace tenon::tests {
namespace {

struct Place {
  Ints sizes;
  Ints strides;
  int64_t offset;
};

// Returns the position of each element in row-major order.
Ints places_of(const Place& place) {
  Ints places{place.offset};
  for (size_t dim = 0; dim < place.sizes.size(); ++dim) {
    Ints next;
    for (const int64_t begin : places) {
      for (int64_t i = 0; i < place.sizes[dim]; ++i) next.push_back(begin + i * place.strides[dim]);
    }
    places = std::move(next);
  }
  return places;
}

// 1, 2, 3, ... in double.
Tensor counted(const Ints& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  Doubles numbers;
  for (int64_t i = 1; i <= count; ++i) numbers.push_back(static_cast<double>(i));
  return Tensor::from<double>(numbers, sizes);
}

// Adds every element of the gradient to separate memory, from which the base reads. If several
// elements of the base share an address, each gets an equal share.
Doubles by_loop(const Tensor& grad, const Place& view, const Place& base) {
  const Ints written = places_of(view);
  const Ints read = places_of(base);
  int64_t end = 0;
  for (const int64_t place : written) end = std::max(end, place + 1);
  for (const int64_t place : read) end = std::max(end, place + 1);
  Doubles memory(static_cast<size_t>(end), 0.0);
  const Doubles given = elements(grad);
  for (size_t i = 0; i < written.size(); ++i) memory[static_cast<size_t>(written[i])] += given[i];
  Doubles result;
  for (const int64_t place : read) {
    const auto sharing = static_cast<double>(std::ranges::count(read, place));
    result.push_back(memory[static_cast<size_t>(place)] / sharing);
  }
  return result;
}

Tensor scatter(const Tensor& grad, const Place& view, const Place& base) {
  return call("tenon::strided_scatter", grad, view.sizes, view.strides, view.offset, base.sizes,
              base.strides, base.offset);
}

void expect_as_loop(const Place& view, const Place& base) {
  const Tensor grad = counted(view.sizes);
  const Tensor result = scatter(grad, view, base);
  EXPECT_EQ(sizes(result), base.sizes);
  EXPECT_EQ(elements(result), by_loop(grad, view, base));
}

TEST(StridedScatter, PartOfARowMajorBase) {
  expect_as_loop({{2, 2}, {4, 1}, 5}, {{3, 4}, {4, 1}, 0});
}

TEST(StridedScatter, TransposedView) { expect_as_loop({{4, 3}, {1, 4}, 0}, {{3, 4}, {4, 1}, 0}); }

TEST(StridedScatter, EverySecondElement) { expect_as_loop({{3}, {2}, 1}, {{7}, {1}, 0}); }

TEST(StridedScatter, ExpandedView_SumsWhatWasRepeated) {
  expect_as_loop({{5, 3}, {0, 1}, 0}, {{3}, {1}, 0});
  expect_as_loop({{3, 5}, {1, 0}, 0}, {{3}, {1}, 0});
  expect_as_loop({{4, 5}, {0, 0}, 2}, {{3}, {1}, 0});
}

TEST(StridedScatter, OverlappingBase_SharesWhatComes) {
  expect_as_loop({{3}, {1}, 0}, {{2, 3}, {0, 1}, 0});
  expect_as_loop({{2, 3}, {0, 1}, 1}, {{2, 3}, {1, 1}, 0});
}

TEST(StridedScatter, OverlappingWindows_AreSummed) {
  expect_as_loop({{4, 3}, {1, 1}, 0}, {{6}, {1}, 0});
  expect_as_loop({{3, 3}, {2, 1}, 1}, {{9}, {1}, 0});
  expect_as_loop({{2, 3, 2}, {3, 2, 1}, 0}, {{12}, {1}, 0});
}

// No two elements share an address, although the strides alone do not show this.
TEST(StridedScatter, InterleavedDims) { expect_as_loop({{2, 3}, {3, 2}, 0}, {{8}, {1}, 0}); }

TEST(StridedScatter, BaseWithGapsAndOffset) {
  expect_as_loop({{2, 2}, {8, 2}, 3}, {{2, 3}, {8, 2}, 3});
  expect_as_loop({{3}, {8}, 5}, {{3, 2}, {8, 2}, 3});
}

TEST(StridedScatter, TransposedBase) { expect_as_loop({{3}, {1}, 3}, {{3, 4}, {1, 3}, 0}); }

TEST(StridedScatter, ViewBeforeAndBeyondTheBase_LeavesWhatIsOutside) {
  expect_as_loop({{6}, {1}, 0}, {{3}, {1}, 2});
  expect_as_loop({{3}, {1}, 7}, {{3}, {1}, 2});
}

TEST(StridedScatter, ZeroDimView) { expect_as_loop({{}, {}, 4}, {{2, 3}, {3, 1}, 0}); }

TEST(StridedScatter, EmptyView_GivesZeros) {
  expect_as_loop({{0, 3}, {3, 1}, 0}, {{2, 3}, {3, 1}, 0});
}

TEST(StridedScatter, EmptyBase) { expect_as_loop({{0, 3}, {3, 1}, 0}, {{0, 3}, {3, 1}, 0}); }

TEST(StridedScatter, NonContiguousGradient_IsReadByItsStrides) {
  const Place view{{2, 3}, {3, 1}, 0};
  const Tensor grad = call("aten::t", counted({3, 2}));
  EXPECT_EQ(elements(scatter(grad, view, view)), (Doubles{1, 3, 5, 2, 4, 6}));
}

TEST(StridedScatter, Result_HasTheStridesOfTheBase) {
  const Place base{{3, 4}, {1, 3}, 2};
  const Tensor result = scatter(counted({3}), {{3}, {1}, 5}, base);
  EXPECT_EQ(strides(result), base.strides);
}

}  // namespace
}  // namespace tenon::tests
