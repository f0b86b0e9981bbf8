// SPDX-License-Identifier: Apache-2.0
#include "tensor/allocator.h"

#include <cstdlib>
#include <new>

#include "base/check.h"

namespace tenon::tensor {

namespace {

// Blocks that a thread keeps per class: about 190 KiB when all are full.
constexpr uint32_t kCacheLimits[kBlockClassCount] = {128, 64, 128, 64, 32, 16};

// Stands in for the cache of a thread that exits: keeps nothing, its limits are 0.
constinit BlockCache closed_cache;

void* try_allocate(size_t nbytes) noexcept {
  const size_t rounded = (nbytes + kAlignment - 1) & ~(kAlignment - 1);
  return std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
}

// Runs on each thread that exits; what is freed on it later goes straight back.
void close_cache(base::ThreadRecord* thread) noexcept {
  void*& place = thread->places[base::kPlaceTensorCache];
  auto* cache = static_cast<BlockCache*>(place);
  place = &closed_cache;
  if (cache == nullptr || cache == &closed_cache) return;
  for (BlockCache::Bin& bin : cache->bins) {
    while (bin.head != nullptr) {
      void* memory = bin.head;
      bin.head = *static_cast<void**>(memory);
      std::free(memory);
    }
  }
  delete cache;
}

// NULL when memory is short: then this thread does not recycle yet.
BlockCache* make_cache() noexcept {
  base::ThreadRecord* thread = base::own_thread_record();
  if (thread == nullptr) return nullptr;
  try {
    [[maybe_unused]] static const bool hooked = [] {
      base::add_thread_exit_hook(close_cache);
      return true;
    }();
  } catch (...) {
    return nullptr;
  }
  auto* cache = new (std::nothrow) BlockCache;
  if (cache == nullptr) return nullptr;
  for (int block = 0; block < kBlockClassCount; ++block) {
    cache->bins[block].limit = kCacheLimits[block];
  }
  thread->places[base::kPlaceTensorCache] = cache;
  return cache;
}

}  // namespace

void* allocate_cpu(int64_t nbytes) {
  void* data = nbytes < kMaxAllocation ? try_allocate(static_cast<size_t>(nbytes)) : nullptr;
  TENON_CHECK(data != nullptr, TENON_ERROR_OUT_OF_MEMORY, "allocate: cpu memory of ", nbytes,
              " bytes could not be had");
  return data;
}

void free_cpu(void* data) noexcept { std::free(data); }

void* allocate_block_slow(BlockClass block) { return allocate_cpu(block_bytes(block)); }

void free_block_slow(void* memory, BlockClass block) noexcept {
  if (kRecycleBlocks && block_cache() == nullptr && make_cache() != nullptr) {
    free_block(memory, block);
    return;
  }
  std::free(memory);
}

}  // namespace tenon::tensor
