// SPDX-License-Identifier: Apache-2.0
// Large blocks: alignment, reuse, and the limit of cached memory.
#include "tensor/large_block.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

constexpr int64_t kMegabyte = int64_t{1} << 20;

bool is_kept() { return kRecycleBlocks; }

TEST(LargeBlock, Memory_IsAlignedAndOurs) {
  for (const int64_t nbytes :
       {int64_t{8192}, kLargeBytes - 1, kLargeBytes, kLargeBytes + 1, kMegabyte, 2 * kMegabyte - 1,
        2 * kMegabyte, 5 * kMegabyte, 16 * kMegabyte + 3}) {
    void* data = allocate_elements(nbytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % kAlignment, 0u) << nbytes;
    std::memset(data, 0x5A, static_cast<size_t>(nbytes));
    EXPECT_EQ(static_cast<char*>(data)[nbytes - 1], 0x5A);
    free_elements(data, nbytes);
  }
}

TEST(LargeBlock, Freed_IsTheNextOneOfItsSize) {
  if (!is_kept()) GTEST_SKIP() << "AddressSanitizer gets memory back at once";
  for (const int64_t nbytes : {kLargeBytes + 100, kMegabyte, 6 * kMegabyte}) {
    void* data = allocate_elements(nbytes);
    std::memset(data, 1, static_cast<size_t>(nbytes));
    free_elements(data, nbytes);
    EXPECT_GE(kept_bytes(), nbytes);
    const int64_t less = nbytes - nbytes / 12;  // slightly smaller, and still gets the same block
    void* again = allocate_elements(std::max(less, kLargeBytes));
    EXPECT_EQ(again, data);
    std::memset(again, 2, static_cast<size_t>(less));
    free_elements(again, std::max(less, kLargeBytes));
  }
}

TEST(LargeBlock, OfAnotherSize_IsNotTaken) {
  if (!is_kept()) GTEST_SKIP() << "AddressSanitizer gets memory back at once";
  void* large = allocate_elements(40 * kMegabyte);
  free_elements(large, 40 * kMegabyte);
  void* small = allocate_elements(3 * kMegabyte);
  EXPECT_NE(small, large);
  void* larger = allocate_elements(44 * kMegabyte);
  EXPECT_NE(larger, large);
  free_elements(small, 3 * kMegabyte);
  free_elements(larger, 44 * kMegabyte);
}

TEST(LargeBlock, BytesKept_AreBounded) {
  std::vector<void*> blocks;
  for (int k = 0; k < 100; ++k) blocks.push_back(allocate_elements(4 * kMegabyte));
  for (void* data : blocks) free_elements(data, 4 * kMegabyte);
  EXPECT_LE(kept_bytes(), kMostKeptBytes);
  // A block that would use most of the limit is not cached.
  const int64_t before = kept_bytes();
  void* huge = allocate_elements(kMostKeptBytes);
  free_elements(huge, kMostKeptBytes);
  EXPECT_EQ(kept_bytes(), before);
}

TEST(LargeBlock, MoreThanThereIs_IsRefused) {
  EXPECT_THROW(allocate_elements(kMaxAllocation), Error);
  if (!is_kept()) GTEST_SKIP() << "AddressSanitizer ends the process for so much";
  EXPECT_THROW(allocate_elements(kMaxAllocation - 1), Error);
}

TEST(LargeBlock, OfManyThreads_AreEachTheirs) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int round = 0; round < 50; ++round) {
        const int64_t nbytes = kLargeBytes + (t + round) % 5 * 1024;
        char* data = static_cast<char*>(allocate_elements(nbytes));
        data[0] = data[nbytes / 2] = data[nbytes - 1] = static_cast<char>(t + 1);
        std::this_thread::yield();
        EXPECT_EQ(data[0] + data[nbytes / 2] + data[nbytes - 1], 3 * (t + 1));
        free_elements(data, nbytes);
      }
    });
  }
  for (std::thread& one : threads) one.join();
}

}  // namespace
}  // namespace tenon::tensor
