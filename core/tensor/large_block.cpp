// SPDX-License-Identifier: Apache-2.0
#include "tensor/large_block.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tenon::tensor {

namespace {

// AddressSanitizer detects overruns only in blocks from malloc.
#if defined(__linux__) && defined(MADV_HUGEPAGE) && defined(MADV_FREE)
constexpr bool kMapsLarge = kRecycleBlocks;
#else
constexpr bool kMapsLarge = false;
#endif

#if defined(__linux__) && defined(MADV_HUGEPAGE) && defined(MADV_FREE)

constexpr int64_t kPage = 4096;
constexpr int64_t kHugePage = int64_t{1} << 21;
constexpr int64_t kLazyBytes = int64_t{1} << 25;  // from this size on, malloc would unmap at once

constexpr int64_t round_up(int64_t nbytes, int64_t unit) {
  return (nbytes + unit - 1) & ~(unit - 1);
}

// Precedes the data, in a separate page.
struct alignas(64) Header {
  int64_t capacity;
};

Header* header_of(void* data) { return static_cast<Header*>(data) - 1; }

void unmap(void* data) noexcept {
  const int64_t capacity = header_of(data)->capacity;
  munmap(static_cast<char*>(data) - kPage, static_cast<size_t>(capacity + kPage));
}

// Returns NULL if memory is short.
void* map(int64_t nbytes) noexcept {
  // A last huge page that would be mostly unused is not worth its memory.
  const int64_t whole = round_up(nbytes, kHugePage);
  const int64_t capacity = whole - nbytes <= nbytes / 4 ? whole : round_up(nbytes, kPage);
  const int64_t alignment = capacity < kHugePage ? kPage : kHugePage;
  const int64_t mapped = capacity + alignment;  // enough for any position of the data
  void* memory = mmap(nullptr, static_cast<size_t>(mapped), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const begin = static_cast<char*>(memory);
  const auto address = reinterpret_cast<intptr_t>(begin);
  char* const data = begin + (round_up(address + kPage, alignment) - address);
  // Unmap what precedes the header's page and what follows the data.
  if (const int64_t before = data - kPage - begin; before != 0) {
    munmap(begin, static_cast<size_t>(before));
  }
  if (const int64_t behind = begin + mapped - (data + capacity); behind != 0) {
    munmap(data + capacity, static_cast<size_t>(behind));
  }
  // Fails if the system has no huge pages; small ones are used then.
  if (alignment == kHugePage) madvise(data, static_cast<size_t>(capacity), MADV_HUGEPAGE);
  header_of(data)->capacity = capacity;
  return data;
}

// A cache of free blocks, the oldest first. A thread that finds the cache in use by another thread
// bypasses it. If a process forks while the cache is in use, the child bypasses it from then on.
class LargeBlockCache {
 public:
  void* take(int64_t nbytes) noexcept {
    const TryLock entry(*this);
    if (!entry.is_locked) return nullptr;
    for (int k = count_ - 1; k >= 0; --k) {
      const int64_t capacity = blocks_[at(k)].capacity;
      if (capacity < nbytes || capacity > nbytes + nbytes / 4 + kPage) continue;
      return remove(k);
    }
    return nullptr;
  }

  bool give(void* data) noexcept {
    const int64_t capacity = header_of(data)->capacity;
    if (capacity > kMostKeptBytes / 2) return false;
    const TryLock entry(*this);
    if (!entry.is_locked) return false;
    while (count_ == kPlaces ||
           bytes_.load(std::memory_order_relaxed) + capacity > kMostKeptBytes) {
      unmap(remove(0));
    }
    blocks_[at(count_)] = {data, capacity};
    ++count_;
    bytes_.fetch_add(capacity, std::memory_order_relaxed);
    return true;
  }

  bool drop_all() noexcept {
    const TryLock entry(*this);
    if (!entry.is_locked || count_ == 0) return false;
    while (count_ != 0) unmap(remove(0));
    return true;
  }

  int64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr int kPlaces = 256;

  // The capacity is stored here, too, because the header's page may not be in the processor's
  // cache.
  struct Block {
    void* data;
    int64_t capacity;
  };

  struct TryLock {
    LargeBlockCache& cache;
    bool is_locked;
    explicit TryLock(LargeBlockCache& of)
        : cache(of), is_locked(!of.busy_.exchange(true, std::memory_order_acquire)) {}
    ~TryLock() {
      if (is_locked) cache.busy_.store(false, std::memory_order_release);
    }
    TryLock(const TryLock&) = delete;
    TryLock& operator=(const TryLock&) = delete;
  };

  static size_t at(int k) { return static_cast<size_t>(k); }

  void* remove(int k) noexcept {
    const Block block = blocks_[at(k)];
    std::copy(blocks_.begin() + k + 1, blocks_.begin() + count_, blocks_.begin() + k);
    --count_;
    bytes_.fetch_sub(block.capacity, std::memory_order_relaxed);
    return block.data;
  }

  std::atomic<bool> busy_{false};
  std::atomic<int64_t> bytes_{0};
  int count_ = 0;
  std::array<Block, kPlaces> blocks_{};
};

constinit LargeBlockCache cache;

void* try_allocate_large(int64_t nbytes) noexcept {
  if (void* data = cache.take(nbytes)) return data;
  void* data = map(nbytes);
  if (data == nullptr && cache.drop_all()) data = map(nbytes);
  return data;
}

void free_large(void* data) noexcept {
  // MADV_FREE lets the system reclaim pages whose content is no longer needed. The call interrupts
  // all threads, which took half of the time of a kernel over 4 MiB, so it is made only for the
  // largest blocks.
  const int64_t capacity = header_of(data)->capacity;
  if (capacity >= kLazyBytes) madvise(data, static_cast<size_t>(capacity), MADV_FREE);
  if (!cache.give(data)) unmap(data);
}

int64_t bytes_of_keeper() noexcept { return cache.bytes(); }

#else

void* try_allocate_large(int64_t) noexcept { return nullptr; }
void free_large(void*) noexcept {}
int64_t bytes_of_keeper() noexcept { return 0; }

#endif

}  // namespace

void* allocate_elements(int64_t nbytes) {
  if (!kMapsLarge || nbytes < kLargeBytes || nbytes >= kMaxAllocation) return allocate_cpu(nbytes);
  void* data = try_allocate_large(nbytes);
  TENON_CHECK(data != nullptr, TENON_ERROR_OUT_OF_MEMORY,
              "allocate: out of memory, cannot allocate ", nbytes, " bytes on cpu");
  return data;
}

void free_elements(void* data, int64_t nbytes) noexcept {
  if (!kMapsLarge || nbytes < kLargeBytes) return free_cpu(data);
  free_large(data);
}

int64_t kept_bytes() noexcept { return bytes_of_keeper(); }

}  // namespace tenon::tensor
