// SPDX-License-Identifier: Apache-2.0
// Storage: the memory that a tensor and its views share, with its owner and version counter.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/intrusive_ptr.h"
#include "tenon/device.h"
#include "tenon/tensor.h"
#include "tensor/allocator.h"

namespace tenon::tensor {

/// The owner of a storage's memory.
enum class MemoryKind : uint8_t {
  kNone,           // no memory: Meta, hollow tensors and the undefined one
  kSharedVersion,  // no memory; uses the version counter of another storage
  kInline,         // inside the block; from here on, kinds have memory
  kHeap,           // allocate_cpu()
  kProvider,       // the device's provider
  kForeign         // foreign; the deleter reports the end of use
};

/// Memory owned by someone else, from its first byte on.
struct ForeignMemory {
  const char* function;  // for messages
  void* data;
  int64_t nbytes = -1;  // -1: as far as the tensor reaches
  bool read_only = false;
  void* context = nullptr;          // argument of the deleter
  tenon_deleter deleter = nullptr;  // may be NULL
};

/// Reference counts: strong ones in the low half, weak ones in the high half. All strong references
/// together hold one weak reference. The object dies with the last strong reference; its memory is
/// freed with the last weak one.
constexpr uint64_t kOneStrong = 1;
constexpr uint64_t kOneWeak = uint64_t{1} << 32;
constexpr uint64_t kStrongMask = kOneWeak - 1;
/// Counts of a storage that only the tensor beside it uses: its own weak reference and the
/// header's.
constexpr uint64_t kStorageAlone = kOneStrong + 2 * kOneWeak;
/// Like kStorageAlone, for a storage that uses another one's version counter: it has one more weak
/// reference, so that the two cases differ.
constexpr uint64_t kSharesVersion = kStorageAlone + kOneWeak;
/// Added to the counts by the first view and kept until the storage dies, so that they no longer
/// equal kStorageAlone.
constexpr uint64_t kViewed = kOneWeak << 20;
/// Initial counts of static objects, so high that they never reach 0.
constexpr uint64_t kImmortal = (uint64_t{1} << 62) | (uint64_t{1} << 30);

}  // namespace tenon::tensor

/// A storage. Always allocated inside the block of the tensor that it was made for. It may outlive
/// that tensor, whose header holds a weak reference.
struct alignas(64) tenon_storage {
 public:
  using MemoryKind = tenon::tensor::MemoryKind;

  void* data() const noexcept { return data_; }
  int64_t nbytes() const noexcept { return nbytes_; }
  const tenon_device& device() const noexcept { return device_; }
  MemoryKind kind() const noexcept { return kind_; }
  bool has_memory() const noexcept { return kind_ >= MemoryKind::kInline; }
  bool is_read_only() const noexcept { return read_only_; }
  /// Sets the deleter of a storage on foreign memory that no other thread uses yet.
  void set_deleter(void* context, tenon_deleter deleter) noexcept {
    context_ = context;
    deleter_ = deleter;
  }

  int64_t version() const noexcept {
    return counting_storage()->version_.load(std::memory_order_relaxed);
  }
  void bump_version() noexcept {
    counting_storage()->version_.fetch_add(1, std::memory_order_relaxed);
  }
  /// Makes this storage use the version counter of `other`. This storage must have no memory, and
  /// no other thread may use it yet. Takes a weak reference: it keeps the counter alive, but not
  /// the other storage's data.
  void share_version(tenon_storage& other) noexcept;
  /// Reverts share_version() if only the dying tensor beside it uses this storage.
  void stop_sharing_version() noexcept;
  /// Bumps the version for an imminent write. If only one tensor uses the storage, a plain store
  /// suffices: another thread that writes would race for the data anyway. The counts of a storage
  /// that uses another one's counter never equal kStorageAlone.
  void count_write() noexcept {
    if (counts_.load(std::memory_order_relaxed) == tenon::tensor::kStorageAlone) {
      version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    } else {
      bump_version();
    }
  }

  /// Called when a view is made. A view holds its base instead of the storage, so a storage that is
  /// alone is marked: from now on, count_write() bumps its version atomically.
  void count_views() noexcept {
    uint64_t alone = tenon::tensor::kStorageAlone;
    if (counts_.load(std::memory_order_relaxed) != alone) return;
    if (counts_.compare_exchange_strong(alone, alone + tenon::tensor::kViewed,
                                        std::memory_order_relaxed)) {
      has_views_ = true;
    }
  }

  /// Marks the memory as shared with another storage, so that it must not move.
  void lend() noexcept { lent_.store(true, std::memory_order_relaxed); }

  /// Returns true if only the tensor in the same block holds the storage. Views do not count: they
  /// hold that tensor. `sharers` is the number of storages that use this one's version counter.
  bool is_alone(uint64_t sharers = 0) const noexcept {
    using namespace tenon::tensor;
    const uint64_t counts = counts_.load(std::memory_order_acquire) - sharers * kOneWeak;
    return counts == (has_views_ ? kStorageAlone + kViewed : kStorageAlone);
  }

  void retain() noexcept {
    counts_.fetch_add(tenon::tensor::kOneStrong, std::memory_order_relaxed);
  }
  void release() noexcept {
    using namespace tenon::tensor;
    const uint64_t before = counts_.fetch_sub(kOneStrong, std::memory_order_acq_rel);
    TENON_DCHECK((before & kStrongMask) != 0);
    if ((before & kStrongMask) == 1) die();
  }

  /// Like is_alone(), for a storage that uses another one's version counter.
  bool is_alone_sharing_version() const noexcept {
    return kind_ == MemoryKind::kSharedVersion &&
           counts_.load(std::memory_order_acquire) == tenon::tensor::kSharesVersion;
  }

  /// Debug builds: aborts if the storage is inconsistent, which is a bug of the library.
  void check_invariants() const noexcept;

  /// Makes room for `nbytes` and keeps the content. Throws TENON_ERROR_STATE if the memory is not
  /// ours. Other threads may read at the same time: old kHeap memory lives as long as the storage.
  void grow(int64_t nbytes);

 private:
  friend struct ::tenon_tensor;
  constexpr tenon_storage(uint64_t counts, void* data, int64_t nbytes, tenon_device device,
                          MemoryKind kind, tenon::tensor::BlockClass block) noexcept
      : counts_(counts),
        data_(data),
        nbytes_(nbytes),
        device_(device),
        kind_(kind),
        block_(block) {}

  const tenon_storage* counting_storage() const noexcept {
    return kind_ == MemoryKind::kSharedVersion ? static_cast<const tenon_storage*>(context_) : this;
  }
  tenon_storage* counting_storage() noexcept {
    return const_cast<tenon_storage*>(std::as_const(*this).counting_storage());
  }

  // Frees memory outside the block.
  void free_data() noexcept;
  void free_heap() noexcept;
  void grow_heap(int64_t nbytes);
  void die() noexcept;
  void release_weak() noexcept;

  static tenon_storage undefined_;

  std::atomic<uint64_t> counts_;
  void* data_;
  int64_t nbytes_;
  std::atomic<int64_t> version_{0};
  tenon_device device_;
  // kHeap: a list of old memory; kProvider: the provider; kSharedVersion: the storage with the
  // version counter; otherwise the deleter's argument.
  void* context_ = nullptr;
  tenon_deleter deleter_ = nullptr;
  MemoryKind kind_;
  bool read_only_ = false;
  bool has_views_ = false;  // kViewed is in `counts_`
  std::atomic<bool> lent_{false};
  std::atomic<bool> growing_{false};  // a spin lock of grow_heap()
  tenon::tensor::BlockClass block_;
};

namespace tenon::tensor {

using Storage = ::tenon_storage;
using StoragePtr = base::IntrusivePtr<Storage>;
static_assert(sizeof(Storage) == kStorageBytes);

}  // namespace tenon::tensor
