// SPDX-License-Identifier: Apache-2.0
// Memory blocks: size classes, per-thread bins, and batches passed between threads.
#include <set>
#include <thread>

#include "tensor/allocator.h"
#include "tensor_testing.h"

namespace tenon::tensor {
namespace {

using namespace testing;  // NOLINT: the test's own helpers

TEST(Allocator, InlineClass_IsTheSmallestWithRoom) {
  for (int64_t nbytes = 0; nbytes <= kMaxInlineBytes; ++nbytes) {
    const BlockClass block = inline_class(nbytes);
    EXPECT_GE(kInlineBytes[block], nbytes);
    EXPECT_TRUE(block == kBlock64 || kInlineBytes[block - 1] < nbytes) << nbytes;
  }
}

TEST(Allocator, BlockFreed_IsTheNextOneGiven) {
  if (!kRecycleBlocks) GTEST_SKIP() << "AddressSanitizer gets blocks back at once";
  free_block(allocate_block(kBlock64), kBlock64);  // creates the thread's cache
  void* block = allocate_block(kBlock64);
  free_block(block, kBlock64);
  EXPECT_EQ(allocate_block(kBlock64), block);
  free_block(block, kBlock64);
}

// One thread allocates blocks and another frees them: they return through the depot.
TEST(Allocator, BlocksFreedElsewhere_ComeBackInBatches) {
  if (!kRecycleBlocks) GTEST_SKIP() << "AddressSanitizer gets blocks back at once";
  constexpr BlockClass kClass = kBlock4096;
  free_block(allocate_block(kClass), kClass);
  const uint32_t batch = block_cache(base::current_thread())->bins[kClass].limit;
  ASSERT_GT(batch, 0u);
  std::vector<void*> blocks;
  for (uint32_t i = 0; i < 3 * batch; ++i) blocks.push_back(allocate_block(kClass));
  const int before = depot_batches(kClass);

  std::thread([&] {
    for (void* block : blocks) free_block(block, kClass);
  }).join();  // the thread keeps two batches, which it returns to malloc when it exits

  ASSERT_EQ(depot_batches(kClass), before + 1);
  const std::set<void*> freed(blocks.begin(), blocks.end());
  std::vector<void*> again;
  while (depot_batches(kClass) > before) again.push_back(allocate_block(kClass));
  EXPECT_TRUE(freed.contains(again.back()));
  for (uint32_t i = 1; i < batch; ++i) {
    again.push_back(allocate_block(kClass));
    EXPECT_TRUE(freed.contains(again.back()));
  }
  for (void* block : again) free_block(block, kClass);
}

// However many blocks are freed, a thread keeps at most two batches, and the depot a few.
TEST(Allocator, BlocksKept_AreBounded) {
  if (!kRecycleBlocks) GTEST_SKIP() << "AddressSanitizer gets blocks back at once";
  free_block(allocate_block(kBlock1024), kBlock1024);
  std::vector<void*> blocks(1000);
  for (void*& block : blocks) block = allocate_block(kBlock1024);
  for (void* block : blocks) free_block(block, kBlock1024);
  const BlockCache::Bin& bin = block_cache(base::current_thread())->bins[kBlock1024];
  EXPECT_LE(bin.count, bin.limit);
  EXPECT_NE(bin.spare, nullptr);
  EXPECT_LE(depot_batches(kBlock1024), 4);
}

TEST(Allocator, TensorsMadeHereFreedThere_CountToZero) {
  const LeakCheck nothing_left;
  for (int round = 0; round < 20; ++round) {
    std::vector<TensorPtr> tensors;
    for (int i = 0; i < 200; ++i) tensors.push_back(empty({i % 40 + 1}));
    std::thread([&] { tensors.clear(); }).join();
  }
}

// Both directions at once, meant for ThreadSanitizer.
TEST(Allocator, TwoThreadsSwapTensors) {
  const LeakCheck nothing_left;
  constexpr int kCount = 4000;
  std::vector<std::atomic<Tensor*>> there(kCount);
  std::vector<std::atomic<Tensor*>> back(kCount);
  const auto swap = [](std::vector<std::atomic<Tensor*>>& out,
                       std::vector<std::atomic<Tensor*>>& in) {
    for (int i = 0; i < kCount; ++i) {
      const TensorPtr made = empty({3});
      static_cast<float*>(made->data())[2] = static_cast<float>(i);
      made->retain();
      out[i].store(made.get(), std::memory_order_release);
      Tensor* got = in[i].load(std::memory_order_acquire);
      while (got == nullptr) {
        std::this_thread::yield();
        got = in[i].load(std::memory_order_acquire);
      }
      EXPECT_EQ(static_cast<float*>(got->data())[2], static_cast<float>(i));
      got->release();
    }
  };
  std::thread other(swap, std::ref(back), std::ref(there));
  swap(there, back);
  other.join();
}

}  // namespace
}  // namespace tenon::tensor
