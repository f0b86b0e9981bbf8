// SPDX-License-Identifier: Apache-2.0
#include "tensor/storage.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "base/check.h"
#include "base/live_count.h"
#include "tensor/device_provider.h"
#include "tensor/large_block.h"

using namespace tenon::tensor;

constinit tenon_storage tenon_storage::undefined_{kImmortal, nullptr,           0,
                                                  {-1, -1},  MemoryKind::kNone, kStorageBlock};

namespace {

// Memory that a storage had before it grew, newest first.
struct FormerMemory {
  void* data;
  int64_t nbytes;       // as allocated
  FormerMemory* older;  // or NULL
  int64_t room;         // bytes allocated in its place
};

}  // namespace

void tenon_storage::free_heap() noexcept {
  auto* outgrown = static_cast<FormerMemory*>(context_);
  free_elements(data_, outgrown == nullptr ? nbytes_ : outgrown->room);
  while (outgrown != nullptr) {
    FormerMemory* older = outgrown->older;
    free_elements(outgrown->data, outgrown->nbytes);
    delete outgrown;
    outgrown = older;
  }
  context_ = nullptr;
}

void tenon_storage::free_data() noexcept {
  switch (kind_) {
    case MemoryKind::kSharedVersion:
      counting_storage()->release_weak();
      break;
    case MemoryKind::kInline:
      break;
    case MemoryKind::kHeap:
      free_heap();
      break;
    case MemoryKind::kProvider:
      release_memory(*static_cast<const tenon_device_provider*>(context_), device_.index, data_);
      break;
    case MemoryKind::kNone:  // on Meta, a deleter may still have to run
    case MemoryKind::kForeign:
      if (deleter_ != nullptr) deleter_(context_);
      break;
  }
  data_ = nullptr;
}

void tenon_storage::die() noexcept {
  const bool shared_version = kind_ == MemoryKind::kSharedVersion;
  free_data();
  tenon::base::count_live(TENON_HANDLE_STORAGE, -1);
  if (shared_version) release_weak();  // the reference that share_version() added
  if (has_views_) counts_.fetch_sub(kViewed, std::memory_order_relaxed);
  release_weak();
}

void tenon_storage::share_version(tenon_storage& other) noexcept {
  TENON_DCHECK(kind_ == MemoryKind::kNone && deleter_ == nullptr);
  TENON_DCHECK(counts_.load(std::memory_order_relaxed) == kStorageAlone);
  tenon_storage* counting = other.counting_storage();
  TENON_DCHECK(counting != this && counting->kind_ != MemoryKind::kSharedVersion);
  counting->counts_.fetch_add(kOneWeak, std::memory_order_relaxed);
  context_ = counting;
  kind_ = MemoryKind::kSharedVersion;
  // One more weak reference than kStorageAlone, so that count_write() calls bump_version(), which
  // finds the other storage's counter.
  counts_.store(kSharesVersion, std::memory_order_relaxed);
}

void tenon_storage::stop_sharing_version() noexcept {
  if (!is_alone_sharing_version()) return;
  counting_storage()->release_weak();
  context_ = nullptr;
  kind_ = MemoryKind::kNone;
  counts_.store(kStorageAlone, std::memory_order_relaxed);
}

void tenon_storage::release_weak() noexcept {
  const uint64_t before = counts_.fetch_sub(kOneWeak, std::memory_order_acq_rel);
  TENON_DCHECK(before >> 32 != 0);
  if (before >> 32 != 1) return;
  TENON_DCHECK((before & kStrongMask) == 0 && data_ == nullptr);
  const BlockClass block = block_;
  free_block(reinterpret_cast<char*>(this) - kHeaderBytes, block);
}

void tenon_storage::grow(int64_t nbytes) {
  TENON_DCHECK(this != &undefined_);
  if (nbytes <= nbytes_) return;
  TENON_CHECK(!lent_.load(std::memory_order_relaxed), TENON_ERROR_STATE,
              "tenon_tensor_resize: storage must not share its memory with other storages to grow, "
              "got one that does (tenon_tensor_copy_data)");
  switch (kind_) {
    case MemoryKind::kNone:
    case MemoryKind::kSharedVersion:
      nbytes_ = nbytes;
      return;
    case MemoryKind::kInline:
      if (nbytes > kInlineBytes[block_]) break;
      nbytes_ = nbytes;
      return;
    case MemoryKind::kHeap:
    case MemoryKind::kProvider:
      break;
    case MemoryKind::kForeign:
      tenon::fail(
          TENON_ERROR_STATE,
          "tenon_tensor_resize: storage must be allocated by Tenon to grow, got wrapped memory of ",
          nbytes_, " bytes for ", nbytes);
  }
  if (kind_ == MemoryKind::kProvider) {
    const auto& provider = *static_cast<const tenon_device_provider*>(context_);
    void* data = allocate_memory(provider, device_.index, nbytes);
    try {
      copy_bytes(data, device_, data_, device_, nbytes_, true);
    } catch (...) {
      release_memory(provider, device_.index, data);
      throw;
    }
    release_memory(provider, device_.index, data_);
    data_ = data;
    nbytes_ = nbytes;
  } else {
    grow_heap(nbytes);
  }
}

// Note: readers of outgrown memory. A thread may still read the old memory while another one
// resizes the tensor (`out=`). Outgrown memory is therefore freed only together with the storage.
// From the second time on, a storage grows by at least half, so that all of its outgrown memory is
// at most twice as large as its current memory.
void tenon_storage::grow_heap(int64_t nbytes) {
  while (growing_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
  struct Unlock {
    std::atomic<bool>& growing;
    ~Unlock() { growing.store(false, std::memory_order_release); }
  } unlock{growing_};
  if (nbytes <= nbytes_) return;  // another thread was faster
  if (kind_ == MemoryKind::kInline) {
    void* data = allocate_elements(nbytes);
    std::memcpy(data, data_, static_cast<size_t>(nbytes_));
    data_ = data;
    kind_ = MemoryKind::kHeap;
  } else {
    auto* older = static_cast<FormerMemory*>(context_);
    if (older == nullptr || nbytes > older->room) {
      const int64_t half_more = older == nullptr ? 0 : older->room + older->room / 2;
      const int64_t room = std::max(nbytes, half_more);
      auto outgrown = std::make_unique<FormerMemory>(
          FormerMemory{data_, older == nullptr ? nbytes_ : older->room, older, room});
      void* data = allocate_elements(room);
      std::memcpy(data, data_, static_cast<size_t>(nbytes_));
      data_ = data;
      context_ = outgrown.release();
    }
  }
  nbytes_ = nbytes;
}
