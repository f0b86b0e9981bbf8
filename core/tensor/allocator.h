// SPDX-License-Identifier: Apache-2.0
// CPU memory: aligned allocation, and the blocks of small tensors that each thread recycles.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/thread.h"
#include "tenon/plugin.h"

namespace tenon::tensor {

/// Alignment of all elements that we allocate: a cache line, which suits the widest vectors.
constexpr size_t kAlignment = 64;

/// Limit of allocations in bytes; no process can address more. Larger requests are refused without
/// calling malloc, because the allocators of sanitizers abort at such a size.
constexpr int64_t kMaxAllocation = int64_t{1} << 47;

/// Allocates `nbytes` (>= 0) aligned bytes; never NULL. Throws TENON_ERROR_OUT_OF_MEMORY.
void* allocate_cpu(int64_t nbytes);
void free_cpu(void* data) noexcept;

/// Classes of blocks. A block holds a tensor's header, optionally its storage, optionally its data.
enum BlockClass : uint8_t {
  kHeaderBlock,   // header only: for views
  kStorageBlock,  // header and storage: data elsewhere
  kBlock64,       // also 64 bytes of data
  kBlock256,
  kBlock1024,
  kBlock4096,
  kBlockClassCount
};

constexpr int64_t kHeaderBytes = 192;
constexpr int64_t kStorageBytes = 64;
constexpr int64_t kDataOffset = kHeaderBytes + kStorageBytes;
constexpr int64_t kInlineBytes[kBlockClassCount] = {0, 0, 64, 256, 1024, 4096};
constexpr int64_t kMaxInlineBytes = 4096;

constexpr int64_t block_bytes(BlockClass block) noexcept {
  return block == kHeaderBlock ? kHeaderBytes : kDataOffset + kInlineBytes[block];
}
/// The smallest class for a number of data lines of 64 bytes.
struct ClassTable {
  BlockClass of_lines[kMaxInlineBytes / 64 + 1];
  constexpr ClassTable() : of_lines() {
    for (int64_t lines = 0; lines <= kMaxInlineBytes / 64; ++lines) {
      BlockClass block = kBlock64;
      while (kInlineBytes[block] < lines * 64) block = static_cast<BlockClass>(block + 1);
      of_lines[lines] = block;
    }
  }
};
inline constexpr ClassTable kClassTable;

/// The smallest class with room for `nbytes` <= kMaxInlineBytes of data.
constexpr BlockClass inline_class(int64_t nbytes) noexcept {
  return kClassTable.of_lines[static_cast<uint64_t>(nbytes + 63) / 64];
}

/// One thread's free blocks, by class. A block stays with the thread that freed it, whichever
/// thread allocated it. Full batches pass through a depot that all threads share, so that a thread
/// that allocates and one that frees need no malloc either.
struct BlockCache {
  struct Bin {
    void* head = nullptr;  // free blocks, each starting with the address of the next
    uint32_t count = 0;
    uint32_t limit = 0;     // number of blocks in a batch
    void* spare = nullptr;  // a full batch, or NULL
  };
  Bin bins[kBlockClassCount];
};

/// AddressSanitizer detects a use after free only if memory is really freed.
constexpr bool kRecycleBlocks = TENON_SANITIZER_CURRENT != TENON_SANITIZER_ADDRESS;

/// Allocates a block with malloc; NULL if memory is short.
void* try_allocate_block(BlockClass block) noexcept;
/// Allocates a block if the bin is empty: from the spare batch, the depot, or malloc. Throws
/// TENON_ERROR_OUT_OF_MEMORY.
void* allocate_block_slow(BlockClass block);
/// Frees a block if the bin is full or the thread has no cache yet, which it then gets.
void free_block_slow(void* memory, BlockClass block) noexcept;

/// Returns the number of batches of a class in the depot.
int depot_batches(BlockClass block) noexcept;

inline BlockCache* block_cache(base::ThreadRecord* thread) noexcept {
  return static_cast<BlockCache*>(thread->locals[base::kLocalTensorCache]);
}

/// Takes a block from a thread's bin; NULL if it is empty.
inline void* try_take_block(BlockCache* cache, BlockClass block) noexcept {
  BlockCache::Bin& bin = cache->bins[block];
  void* memory = bin.head;
  if (memory == nullptr) return nullptr;
  TENON_DCHECK(bin.count != 0);
  bin.head = *static_cast<void**>(memory);
  --bin.count;
  return memory;
}
/// Puts a block into a thread's bin. Returns false if that is full.
inline bool try_return_block(BlockCache* cache, void* memory, BlockClass block) noexcept {
  BlockCache::Bin& bin = cache->bins[block];
  if (bin.count >= bin.limit) return false;
  *static_cast<void**>(memory) = bin.head;
  bin.head = memory;
  ++bin.count;
  return true;
}

inline void* allocate_block(BlockClass block) {
  if constexpr (kRecycleBlocks) {
    if (BlockCache* cache = block_cache(base::current_thread())) {
      if (void* memory = try_take_block(cache, block)) return memory;
    }
  }
  return allocate_block_slow(block);
}

inline void free_block(void* memory, BlockClass block) noexcept {
  if constexpr (kRecycleBlocks) {
    if (BlockCache* cache = block_cache(base::current_thread())) {
      if (try_return_block(cache, memory, block)) return;
    }
  }
  free_block_slow(memory, block);
}

/// Base of classes whose objects accompany tensors and fit in a header's memory: they are allocated
/// in header blocks.
template <class T>
struct BlockAllocated {
  static void* operator new(size_t) {
    static_assert(sizeof(T) <= kHeaderBytes && alignof(T) <= kAlignment);
    return allocate_block(kHeaderBlock);
  }
  static void operator delete(void* memory) noexcept { free_block(memory, kHeaderBlock); }
};

}  // namespace tenon::tensor
