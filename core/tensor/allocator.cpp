// SPDX-License-Identifier: Apache-2.0
#include "tensor/allocator.h"

#include <cstdlib>
#include <new>

#include "base/check.h"

namespace tenon::tensor {

namespace {

// Blocks per batch, by class. A thread keeps two batches at most: about 190 KiB over all classes.
constexpr uint32_t kBatch[kBlockClassCount] = {64, 32, 64, 32, 16, 8};

// The cache of a thread that has exited: caches nothing, because its limits are 0.
constinit BlockCache closed_cache;

// Batches in transit from threads that free to threads that allocate: about 380 KiB when full.
constexpr int kDepotPlaces = 4;
struct alignas(64) Depot {
  std::atomic<void*> batches[kDepotPlaces] = {};
};
constinit Depot depots[kBlockClassCount];

void* take_batch(BlockClass block) noexcept {
  for (std::atomic<void*>& place : depots[block].batches) {
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    if (void* batch = place.exchange(nullptr, std::memory_order_acquire)) return batch;
  }
  return nullptr;
}

// Returns false if the depot is full.
bool put_batch(void* batch, BlockClass block) noexcept {
  for (std::atomic<void*>& place : depots[block].batches) {
    void* none = nullptr;
    if (place.load(std::memory_order_relaxed) == nullptr &&
        place.compare_exchange_strong(none, batch, std::memory_order_release,
                                      std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void free_list(void* head) noexcept {
  while (head != nullptr) {
    void* memory = head;
    head = *static_cast<void**>(memory);
    std::free(memory);
  }
}

void* try_allocate(size_t nbytes) noexcept {
  const size_t rounded = (nbytes + kAlignment - 1) & ~(kAlignment - 1);
  return std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
}

// Thread exit hook. Blocks freed on the thread afterwards are freed at once.
void close_cache(base::ThreadRecord* thread) noexcept {
  void*& place = thread->locals[base::kLocalTensorCache];
  auto* cache = static_cast<BlockCache*>(place);
  place = &closed_cache;
  if (cache == nullptr || cache == &closed_cache) return;
  for (BlockCache::Bin& bin : cache->bins) {
    free_list(bin.head);
    free_list(bin.spare);
  }
  delete cache;
}

// Returns NULL if memory is short: the thread does not recycle then.
BlockCache* make_cache() noexcept {
  base::ThreadRecord* thread = base::own_thread_record();
  if (thread == nullptr) return nullptr;
  try {
    base::add_thread_exit_hook(close_cache);
  } catch (...) {
    return nullptr;
  }
  auto* cache = new (std::nothrow) BlockCache;
  if (cache == nullptr) return nullptr;
  for (int block = 0; block < kBlockClassCount; ++block) {
    cache->bins[block].limit = kBatch[block];
  }
  thread->locals[base::kLocalTensorCache] = cache;
  return cache;
}

}  // namespace

void* allocate_cpu(int64_t nbytes) {
  void* data = nbytes < kMaxAllocation ? try_allocate(static_cast<size_t>(nbytes)) : nullptr;
  TENON_CHECK(data != nullptr, TENON_ERROR_OUT_OF_MEMORY,
              "allocate: out of memory, cannot allocate ", nbytes, " bytes on cpu");
  return data;
}

void free_cpu(void* data) noexcept { std::free(data); }

void* try_allocate_block(BlockClass block) noexcept {
  return try_allocate(static_cast<size_t>(block_bytes(block)));
}

void* allocate_block_slow(BlockClass block) {
  BlockCache* cache = kRecycleBlocks ? block_cache(base::current_thread()) : nullptr;
  if (cache != nullptr && cache != &closed_cache) {
    BlockCache::Bin& bin = cache->bins[block];
    void* batch = bin.spare != nullptr ? std::exchange(bin.spare, nullptr) : take_batch(block);
    if (batch != nullptr) {
      TENON_DCHECK(bin.head == nullptr && bin.count == 0);
      bin.head = batch;
      bin.count = bin.limit;
      return try_take_block(cache, block);
    }
  }
  return allocate_cpu(block_bytes(block));
}

void free_block_slow(void* memory, BlockClass block) noexcept {
  BlockCache* cache = kRecycleBlocks ? block_cache(base::current_thread()) : nullptr;
  if (kRecycleBlocks && cache == nullptr) cache = make_cache();
  if (cache == nullptr || cache == &closed_cache) {
    std::free(memory);
    return;
  }
  if (try_return_block(cache, memory, block)) return;
  TENON_DCHECK(cache->bins[block].count == cache->bins[block].limit);
  // The full bin becomes the spare batch; a spare batch goes to the depot.
  BlockCache::Bin& bin = cache->bins[block];
  if (bin.spare != nullptr && !put_batch(bin.spare, block)) free_list(bin.spare);
  bin.spare = std::exchange(bin.head, nullptr);
  bin.count = 0;
  try_return_block(cache, memory, block);
}

int depot_batches(BlockClass block) noexcept {
  int count = 0;
  for (const std::atomic<void*>& place : depots[block].batches) {
    count += place.load(std::memory_order_relaxed) != nullptr ? 1 : 0;
  }
  return count;
}

}  // namespace tenon::tensor
